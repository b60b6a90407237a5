// Draws open cards of every kind. Loaded lazily, see CardView.tsx.
import type { ReactElement } from "react";
import { ApprovalCard } from "./approval/ApprovalCard.tsx";
import { ArtifactCard } from "./artifact/ArtifactCard.tsx";
import type { CardProps } from "./card.ts";
import { ConfirmationCard } from "./confirmation/ConfirmationCard.tsx";
import { CriticalFailureCard } from "./critical-failure/CriticalFailureCard.tsx";
import { ExchangesCard } from "./exchanges/ExchangesCard.tsx";
import { FormCard } from "./form/FormCard.tsx";
import { HoldCard } from "./hold/HoldCard.tsx";
import { NoticeCard } from "./options/NoticeCard.tsx";
import { LoadedParts } from "./naming.ts";
import { OptionsCard } from "./options/OptionsCard.tsx";
import { Attachments } from "./parts/Attachments.tsx";
import { RecoverableErrorCard } from "./recoverable-error/RecoverableErrorCard.tsx";
import { RequirementsCard } from "./requirements/RequirementsCard.tsx";
import { TimeLeft } from "./parts/TimeLeft.tsx";
import { UiToolCard } from "./ui-tool/UiToolCard.tsx";
import { UncertainEffectCard } from "./uncertain-effect/UncertainEffectCard.tsx";
import { ValidationCard } from "./validation/ValidationCard.tsx";

export { Attachments };
const PARTS = { Attachments, TimeLeft };

/** The payload is what the server wrote for this kind (core/cards.py), so here, and only here, it gets its type. */
export function OpenCard({ card }: { card: CardProps }): ReactElement {
  return <LoadedParts.Provider value={PARTS}>{ofKind(card)}</LoadedParts.Provider>;
}

function ofKind(card: CardProps): ReactElement {
  const kind = card.meta.card;
  const as = <P,>() => card as unknown as CardProps<P>;
  switch (kind) {
    case "approval":
      return <ApprovalCard {...as<never>()} />;
    case "exchanges":
      return <ExchangesCard {...as<never>()} />;
    case "options":
      return card.payload["is_notice"] === true ? <NoticeCard {...as<never>()} /> : <OptionsCard {...as<never>()} />;
    case "form":
      return <FormCard {...as<never>()} />;
    case "requirements":
      return <RequirementsCard {...as<never>()} />;
    case "confirmation":
      return <ConfirmationCard {...as<never>()} />;
    case "hold":
      return <HoldCard {...as<never>()} />;
    case "validation":
      return <ValidationCard {...as<never>()} />;
    case "critical_failure":
      return <CriticalFailureCard {...as<never>()} />;
    case "recoverable_error":
      return <RecoverableErrorCard {...as<never>()} />;
    case "uncertain_effect":
      return <UncertainEffectCard {...as<never>()} />;
    case "artifact":
      return <ArtifactCard {...as<never>()} />;
    case "ui_tool":
      return <UiToolCard {...card} />;
    default:
      return unknown(kind, card);
  }
}

/** A kind from a newer server is drawn generically from its payload. */
function unknown(_: never, card: CardProps): ReactElement {
  return <UiToolCard {...card} />;
}
