// The frame of every open card: title, message, the card's own content, and problems.
import { partText, t } from "@sayso/core";
import { useContext, type ReactNode } from "react";
import { isSending, problemOf, type CardProps } from "../card.ts";
import { Markdown } from "../markdown/Markdown.tsx";
import { CardProblem, LoadedParts, HeadingId } from "../naming.ts";
import { Changes } from "./Changes.tsx";
import { Claimed } from "./Claimed.tsx";
import { Context } from "./Context.tsx";
import type { JsonObject } from "../wire.ts";
import { exact } from "../words.ts";

export type Tone = "ask" | "calm" | "warn" | "bad";

interface Props {
  card: CardProps<unknown>;
  title: string;
  /** The message under the title. */
  lead?: string | null | undefined;
  tone: Tone;
  /** A short label: what this card is to its reader. */
  chip?: string | undefined;
  context?: JsonObject | undefined;
  /** The card shows the problem beside its fields itself. */
  problemShown?: boolean;
  children: ReactNode;
}

export function Frame({ card, title, lead, tone, chip, context, problemShown, children }: Props) {
  const headingId = useContext(HeadingId);
  const parts = useContext(LoadedParts);
  const problem = problemOf(card.state);
  const words = isSending(card.state) ? t("Sending…") : chip;
  const revision = card.meta.revision ?? 1;
  return (
    <div className="sy-card" data-tone={tone}>
      <div className="sy-head">
        <h3 id={headingId}><bdi>{exact(partText(card.meta, "title", title))}</bdi></h3>
        {words !== undefined && <span className="sy-chip">{words}</span>}
      </div>
      {lead != null && lead.trim() !== "" && lead.trim() !== title.trim() && (
        <div className="sy-lead"><Markdown text={partText(card.meta, "message", partText(card.meta, "agent_message", lead))} /></div>
      )}
      {card.meta.asker != null && <Claimed asker={card.meta.asker} />}
      {revision > 1 && <p className="sy-note">{t("Changed proposal, revision {n}. It replaces the one before.", { n: revision })}</p>}
      <Changes heading={t("What changed")} changes={card.meta.changes ?? []} />
      {context !== undefined && <Context context={context} />}
      {parts !== null && <parts.Attachments card={card} />}
      <CardProblem.Provider value={problemShown === true ? undefined : problem}>{children}</CardProblem.Provider>
      {parts !== null && <parts.TimeLeft card={card} />}
    </div>
  );
}
