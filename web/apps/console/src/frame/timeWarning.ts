// Announces that little time is left: once per card and deadline, however many places show the card.
import { cardMetaOf, cardTitleOf, isPending, type MessageItem, t, uiToolOf } from "@sayso/core";
import { announce } from "./announce.tsx";

const SOON_MILLISECONDS = 120_000;
const announced = new Set<string>();

export function warnOfTime(message: Pick<MessageItem, "event_id" | "metadata">, now: Date): void {
  const tool = uiToolOf(message);
  const expires = tool === null ? null : cardMetaOf(tool.payload).expires_at;
  if (tool === null || !expires || !isPending(message)) return;
  const left = Date.parse(expires) - now.getTime();
  const key = `${message.event_id} ${expires}`;
  if (left > SOON_MILLISECONDS || left <= 0 || announced.has(key)) return;
  announced.add(key);
  announce(t("Less than two minutes left to answer: {title}", { title: cardTitleOf(tool) }), "assertive");
}
