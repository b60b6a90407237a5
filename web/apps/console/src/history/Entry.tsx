// One decision in one line; opened, it shows everything that is recorded.
import { type CameOf, type HistoryEntry, type Interaction, type JsonObject, locales, messageText, Problem, statusWords, t, titleOf } from "@sayso/core";
import { outcomeWords, Changes, outcomeSign, timeOfDay, titleOfWhatRan, Values, changesWords } from "@sayso/cards";
import { useState } from "react";
import { api } from "../browser.ts";
import { Link, pathTo } from "../router.tsx";
import { agentName } from "../words.ts";

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

  const effect = becameOf(entry);
  const [glyph, tone] = outcomeSign(entry.status as Exclude<HistoryEntry["status"], "pending">, effect, asksForYes(entry) && entry.tool_name !== null);
  return (
    <li id={`entry-${entry.interaction_id}`}>
      <details className="history-entry" data-tone={tone} onToggle={(event) => event.currentTarget.open && void read()}>
        <summary>
          <span className="history-glyph" aria-hidden="true">
            {glyph}
          </span>
          <span className="history-line">
            <b dir="auto">{titleOfWhatRan(effect, titleOf(entry))}</b>{effect !== null && effect.changed.length > 0 ? ` · ${changesWords(effect.changed)} · ` : " "}
            {decisionWords(entry, me)}
            {entry.reason !== null && <q dir="auto">{messageText(entry.said?.["reason"], entry.reason)}</q>}
            {effect !== null && ` · ${outcomeWords(effect)}`}
          </span>
          <time dateTime={entry.settled_at ?? ""}>{timeOf(entry.settled_at)}</time>
        </summary>
        <div className="history-kept">
          <Values values={recordOf(entry)} />
          <Changes heading={t("Changed")} changes={entry.changes} />
          {kept.is === "unread" && <p className="quiet">{t("Loading…")}</p>}
          {kept.is === "failed" && <p className="in-problem">{kept.why}</p>}
          {kept.is === "read" && <Shown interaction={kept.interaction} />}
          <p className="row-foot quiet">
            <Link className="link" to={pathTo.chat(entry.chat_id)}>
              {t("Open the chat")}
              <span className="unseen">: {titleOf(entry)}</span>
            </Link>
            <Link className="link" to={pathTo.interaction(entry.interaction_id)}>
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
  const response = interaction.response;
  const answer: JsonObject = {};
  if (response?.user_message) answer[response.approved ? "note" : "reason"] = messageText(response, response.user_message);
  for (const [name, value] of Object.entries(response?.response_data ?? {})) if (!isEmpty(value)) answer[name] = value;
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

const NOT_SHOWN = new Set(["title", "tool_name", "edit_schema", "response_schema", "approval_options", "requires_reason", "allow_notes", "is_notice", "columns"]);

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
  if (entry.reason !== null) record[t("Reason")] = messageText(entry.said?.["reason"], entry.reason);
  if (entry.digest !== null) record[t("Digest")] = entry.digest;
  if (entry.revision !== null) record[t("Revision")] = entry.revision;
  if (entry.executed_digest !== null) record[t("Digest of what ran")] = entry.executed_digest;
  if (entry.outcome_error !== null) record[t("Error")] = messageText(entry.said?.["outcome_error"], entry.outcome_error);
  if (entry.outcome_at !== null) record[t("Ended")] = instantWords(entry.outcome_at);
  if (entry.title !== entry.proposed_title) record[t("Proposed")] = entry.proposed_title;
  return record;
}

/** Return the outcome, if known; if nobody approved it, the decision says it all. */
function becameOf(entry: HistoryEntry): CameOf | null {
  const { outcome: state, outcome_error: error, changes: changed } = entry;
  if (state === null || (state === "not_run" && entry.status !== "completed")) return null;
  return { state, error, changed, title: entry.title === entry.proposed_title ? null : entry.title };
}

function asksForYes({ card }: HistoryEntry): boolean {
  return card === "approval" || card === "exchanges" || card === "confirmation" || card === "requirements";
}

function decisionWords(entry: HistoryEntry, me: string | undefined): string {
  const who = entry.settled_by;
  const isMe = who !== null && who === me;
  if (who === null) return statusWords(entry.status);
  switch (entry.status) {
    case "completed":
      if (entry.decision === "partial") return isMe ? t("approved in part by you") : t("approved in part by {who}", { who });
      if (asksForYes(entry)) return isMe ? t("approved by you") : t("approved by {who}", { who });
      return isMe ? t("answered by you") : t("answered by {who}", { who });
    case "rejected":
      return isMe ? t("rejected by you") : t("rejected by {who}", { who });
    case "dismissed":
      return isMe ? t("skipped by you") : t("skipped by {who}", { who });
    default:
      return statusWords(entry.status);
  }
}

function timeOf(at: string | null): string {
  return at === null ? "" : timeOfDay(new Date(at));
}

/** Format to the second and with the zone: this is a record. */
function instantWords(at: string): string {
  return new Date(at).toLocaleString(locales(), { dateStyle: "medium", timeStyle: "long" });
}
