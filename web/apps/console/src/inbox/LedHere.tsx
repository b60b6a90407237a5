// Beside an open card: what was said and looked up right before it, from a person's last words on.
import { type ChatView, spokenText, t, uiToolOf } from "@sayso/core";
import { Markdown, ToolRow } from "@sayso/cards";
import { useEffect, useState } from "react";
import { api } from "../browser.ts";
import { ResultCard } from "../chat/ResultCard.tsx";
import { entriesOf, type LogEntry } from "../chat/session.ts";

/** Whoever moves on from row to row reads none of it. */
const REST_MILLISECONDS = 300;
const MOST = 8;

export function LedHere({ chatId, cardId }: { chatId: string; cardId: string }) {
  const [entries, setEntries] = useState<readonly LogEntry[]>([]);
  useEffect(() => {
    let isHere = true;
    const resting = setTimeout(() => {
      // Without it the card is whole, and its chat is one press away.
      api.chat(chatId).then((view) => isHere && setEntries(leadingTo(view, cardId)), () => undefined);
    }, REST_MILLISECONDS);
    return () => {
      isHere = false;
      clearTimeout(resting);
    };
  }, [chatId, cardId]);
  if (entries.length === 0) return null;
  return (
    <section className="in-led" aria-label={t("What led here")}>
      <h4>{t("What led here")}</h4>
      {entries.map((entry) =>
        entry.kind === "tool_call" ? (
          <ToolRow key={entry.tool_call_id} call={entry} />
        ) : entry.kind === "artifact" ? (
          <ResultCard key={entry.artifact_id} artifact={entry} open={undefined} now={new Date()} />
        ) : (
          <div key={entry.event_id} className={entry.role === "user" ? "said-by-you" : "said-by-agent"}>
            {entry.role === "user" ? <p dir="auto" lang="">{entry.content}</p> : <Markdown text={spokenText(entry.metadata) ?? entry.content} />}
          </div>
        ),
      )}
    </section>
  );
}

function leadingTo(view: ChatView, cardId: string): LogEntry[] {
  const all = entriesOf(view);
  const card = all.findIndex((entry) => entry.kind === "message" && entry.event_id === cardId);
  const before = all.slice(0, Math.max(card, 0)).filter((entry) => entry.kind !== "message" || uiToolOf(entry) === null);
  const from = before.findLastIndex((entry) => entry.kind === "message" && entry.role === "user");
  return before.slice(Math.max(from, 0)).slice(0, MOST);
}
