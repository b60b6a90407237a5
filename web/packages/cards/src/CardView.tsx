// The card of a message, whichever it is and wherever it stands: open, on its way, or settled into one line.
import { useId, useRef, type ReactElement } from "react";
import { ApprovalCard } from "./approval/ApprovalCard.tsx";
import { ArtifactCard } from "./artifact/ArtifactCard.tsx";
import type { CardProps } from "./card.ts";
import { ConfirmationCard } from "./confirmation/ConfirmationCard.tsx";
import { CriticalFailureCard } from "./critical-failure/CriticalFailureCard.tsx";
import { useDraft } from "./draft.ts";
import { ExchangesCard } from "./exchanges/ExchangesCard.tsx";
import { useFocusAcross } from "./focus.ts";
import { FormCard } from "./form/FormCard.tsx";
import { CardTitle, HeadingId } from "./naming.ts";
import { OptionsCard } from "./options/OptionsCard.tsx";
import { Receipt } from "./Receipt.tsx";
import { RecoverableErrorCard } from "./recoverable-error/RecoverableErrorCard.tsx";
import { cardMetaOf, cardTitleOf, uiToolOf } from "@sayso/core";
import { asProblem, useCardState } from "./state.ts";
import { UiToolCard } from "./ui-tool/UiToolCard.tsx";
import { UncertainEffectCard } from "./uncertain-effect/UncertainEffectCard.tsx";
import { ValidationCard } from "./validation/ValidationCard.tsx";
import type { AnswerGiven, CardKind, CardMessage, JsonObject, Send, UiTool } from "./wire.ts";

export interface CardViewProps {
  message: CardMessage;
  send: Send;
  /** What this person typed before, from the browser or another device. */
  draft?: JsonObject | undefined;
  onDraft?: ((draft: JsonObject) => void) | undefined;
  now: Date;
  /** Who is looking: an answer of theirs reads "by you". */
  me?: string | undefined;
  openArtifact?: ((artifactId: string) => void) | undefined;
  /** What was answered, where the page knows it (an interaction has it, a message does not). */
  response?: AnswerGiven | null | undefined;
}

export function CardView(props: CardViewProps): ReactElement | null {
  const tool = uiToolOf(props.message);
  return tool === null ? null : <Card {...props} tool={tool} />;
}

function Card({ message, send, draft: given, onDraft, now, me, openArtifact, response, tool }: CardViewProps & { tool: UiTool }) {
  const root = useRef<HTMLElement>(null);
  const receipt = useRef<HTMLElement>(null);
  const headingId = useId();
  const meta = cardMetaOf(tool.payload);
  const [state, submit] = useCardState(tool, send);
  const [draft, setDraft] = useDraft(given, onDraft, root);
  useFocusAcross(state.phase === "settled" ? "settled" : "open", root, () => receipt.current);

  const card: CardProps = {
    payload: tool.payload,
    meta,
    tool,
    message,
    state,
    submit,
    extend: (seconds) => send({ type: "extend", seconds }).catch((reason: unknown) => Promise.reject(asProblem(reason))),
    compose: (text) => void send({ type: "compose", text }).catch(() => undefined),
    draft,
    setDraft,
    now,
    openArtifact,
  };
  return (
    <CardTitle.Provider value={cardTitleOf(tool)}>
      <HeadingId.Provider value={headingId}>
        <article ref={root} className="sy-slot" aria-labelledby={headingId} data-card={meta.card} data-state={state.phase}>
          {state.phase === "settled" ? (
            <Receipt tool={tool} meta={meta} outcome={state.outcome} answer={state.outcome.answer ?? response} draft={draft} now={now} me={me} lineRef={receipt} compose={card.compose} />
          ) : (
            drawn(meta.card, card)
          )}
        </article>
      </HeadingId.Provider>
    </CardTitle.Provider>
  );
}

/** The payload is what the server wrote for this kind (core/cards.py), so here, and only here, it gets its type. */
function drawn(kind: CardKind, card: CardProps): ReactElement {
  const as = <P,>() => card as unknown as CardProps<P>;
  switch (kind) {
    case "approval":
      return <ApprovalCard {...as<never>()} />;
    case "exchanges":
      return <ExchangesCard {...as<never>()} />;
    case "options":
      return <OptionsCard {...as<never>()} />;
    case "form":
      return <FormCard {...as<never>()} />;
    case "confirmation":
      return <ConfirmationCard {...as<never>()} />;
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

/** A newer server's card: drawn from its payload rather than not at all. */
function unknown(_: never, card: CardProps): ReactElement {
  return <UiToolCard {...card} />;
}
