// One decision in one line; who opens it sees all that is kept of it.
import { type HistoryEntry, type Interaction, type JsonObject, locales, Problem, sentenceWords, statusWords, t, titleOf } from "@sayso/core";
import { timeOfDay, Values } from "@sayso/cards";
import { useState } from "react";
import { api } from "../browser.ts";
import { Link, pathTo } from "../router.tsx";
import { agentName } from "../words.ts";

const GLYPH: Record<string, string> = { completed: "✓", rejected: "✕", expired: "◷", superseded: "↻" };
const TONE: Record<string, string> = { completed: "ok", rejected: "bad" };

interface Props {
  entry: HistoryEntry;
  me: string | undefined;
  onlyChat: (chatId: string) => void;
}

type Kept = { is: "unread" } | { is: "read"; interaction: Interaction } | { is: "failed"; why: string };

export function Entry({ entry, me, onlyChat }: Props) {
  const [kept, setKept] = useState<Kept>({ is: "unread" });

  async function read() {
    if (kept.is === "read") return;
    try {
      setKept({ is: "read", interaction: await api.interaction(entry.interaction_id) });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setKept({ is: "failed", why: error.detail });
    }
  }

  return (
    <li id={`entry-${entry.interaction_id}`}>
      <details className="history-entry" data-tone={TONE[entry.status] ?? "calm"} onToggle={(event) => event.currentTarget.open && void read()}>
        <summary>
          <span className="history-glyph" aria-hidden="true">
            {GLYPH[entry.status] ?? "–"}
          </span>
          <span className="history-line">
            <b dir="auto">{titleOf(entry)}</b> {outcomeWords(entry, me)}
            {entry.reason !== null && <q dir="auto">{sentenceWords(entry.reason)}</q>}
          </span>
          <time dateTime={entry.settled_at ?? ""}>{timeOf(entry.settled_at)}</time>
        </summary>
        <div className="history-kept">
          <Values values={recordOf(entry)} />
          {kept.is === "unread" && <p className="quiet">{t("Loading…")}</p>}
          {kept.is === "failed" && <p className="in-problem">{kept.why}</p>}
          {kept.is === "read" && <Shown interaction={kept.interaction} />}
          <p className="row-foot quiet">
            <Link to={pathTo.chat(entry.chat_id)}>
              {t("Open the chat")}
              <span className="unseen">: {titleOf(entry)}</span>
            </Link>
            <Link to={pathTo.interaction(entry.interaction_id)}>
              {t("Link to this")}
              <span className="unseen">: {titleOf(entry)}</span>
            </Link>
            <button type="button" className="link" onClick={() => onlyChat(entry.chat_id)}>
              {t("Only this chat")}
              <span className="unseen">: {titleOf(entry)}</span>
            </button>
          </p>
        </div>
      </details>
    </li>
  );
}

function Shown({ interaction }: { interaction: Interaction }) {
  const { sayso: _, ...shown } = interaction.payload;
  const said = interaction.response;
  const answer: JsonObject = {};
  if (said?.user_message) answer[said.approved ? "note" : "reason"] = sentenceWords(said.user_message);
  for (const [name, value] of Object.entries(said?.response_data ?? {})) if (!isEmpty(value)) answer[name] = value;
  // Nothing is said twice.
  const seen = new Set([JSON.stringify(shown["title"])]);
  const values: JsonObject = {};
  for (const [name, value] of Object.entries(shown)) {
    const text = JSON.stringify(value);
    if (NOT_SHOWN.has(name) || isEmpty(value) || value === false || seen.has(text)) continue;
    seen.add(text);
    values[name] = value;
  }
  return (
    <>
      {Object.keys(answer).length > 0 && (
        <>
          <h4>{t("What was answered")}</h4>
          <Values values={answer} named />
        </>
      )}
      <h4>{t("What was shown")}</h4>
      <Values values={values} named />
    </>
  );
}

const NOT_SHOWN = new Set(["title", "tool_name", "edit_schema", "response_schema", "approval_options", "requires_reason", "allow_notes", "columns"]);

function isEmpty(value: unknown): boolean {
  return value == null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

function recordOf(entry: HistoryEntry): JsonObject {
  const record: JsonObject = {
    [t("Agent")]: agentName(entry.agent_name),
    ...(entry.tool_name === null ? {} : { [t("Tool")]: entry.tool_name }),
    [t("Asked")]: instantWords(entry.asked_at),
    ...(entry.settled_at === null ? {} : { [t("Decided")]: instantWords(entry.settled_at) }),
    [t("Decided by")]: entry.settled_by ?? t("nobody"),
  };
  if (entry.reason !== null) record[t("Reason")] = sentenceWords(entry.reason);
  if (entry.digest !== null) record[t("Digest")] = entry.digest;
  if (entry.revision !== null) record[t("Revision")] = entry.revision;
  return record;
}

function outcomeWords(entry: HistoryEntry, me: string | undefined): string {
  const who = entry.settled_by;
  const isMe = who !== null && who === me;
  const asksForYes = entry.card === "approval" || entry.card === "exchanges" || entry.card === "confirmation" || entry.card === "requirements";
  if (who === null) return statusWords(entry.status);
  switch (entry.status) {
    case "completed":
      if (entry.decision === "partial") return isMe ? t("approved in part by you") : t("approved in part by {who}", { who });
      if (asksForYes) return isMe ? t("approved by you") : t("approved by {who}", { who });
      return isMe ? t("answered by you") : t("answered by {who}", { who });
    case "rejected":
      return isMe ? t("rejected by you") : t("rejected by {who}", { who });
    case "dismissed":
      return isMe ? t("dismissed by you") : t("dismissed by {who}", { who });
    default:
      return statusWords(entry.status);
  }
}

function timeOf(at: string | null): string {
  return at === null ? "" : timeOfDay(new Date(at));
}

/** To the second and with its zone: this is a record. */
function instantWords(at: string): string {
  return new Date(at).toLocaleString(locales(), { dateStyle: "medium", timeStyle: "long" });
}
