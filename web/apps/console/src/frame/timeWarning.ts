// Says that little time is left to answer: once for a card and its end, however many places of the page show it.
import { cardMetaOf, cardTitleOf, isPending, type MessageItem, t, uiToolOf } from "@sayso/core";
import { announce } from "./announce.tsx";

const SOON_MILLISECONDS = 120_000;
const told = new Set<string>();

export function warnOfTime(message: Pick<MessageItem, "event_id" | "metadata">, now: Date): void {
  const tool = uiToolOf(message);
  const expires = tool === null ? null : cardMetaOf(tool.payload).expires_at;
  if (tool === null || !expires || !isPending(message)) return;
  const left = Date.parse(expires) - now.getTime();
  const key = `${message.event_id} ${expires}`;
  if (left > SOON_MILLISECONDS || left <= 0 || told.has(key)) return;
  told.add(key);
  announce(t("Less than two minutes left to answer: {title}", { title: cardTitleOf(tool) }), "assertive");
}
