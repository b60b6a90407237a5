// Who decided what, when, on which digest: newest first, with filters that also apply to exports.
import { asQuery, type HistoryEntry, type HistoryQuery, locales, Problem, t } from "@sayso/core";
import { useEffect, useMemo, useRef, useState } from "react";
import { addressOf, api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { Failed, RowsSkeleton } from "../frame/Failed.tsx";
import { pageTitle, useNow, useTitle } from "../frame/hooks.ts";
import { type Query, type SetQuery, useQuery } from "../frame/query.ts";
import { SavedFilters } from "../frame/SavedFilters.tsx";
import { Choice, Picks, Search } from "../frame/Search.tsx";
import { type PageProps, waitingIn } from "../frame/overview.ts";
import { bySession, sessionWords } from "../sessions.ts";
import { kindWords, shownWords } from "../words.ts";
import { Entry } from "./Entry.tsx";
import "./history.css";

const PAGE = 50;
const KINDS = ["approval", "exchanges", "options", "form", "confirmation", "uncertain_effect", "ui_tool"];
const TEXTS = ["q", "person", "tool", "chat"] as const;
const FILTERS = [...TEXTS, "kind", "outcome", "ran", "edited", "from", "to"];

export function History({ overview }: PageProps) {
  const now = useNow(60_000);
  const [query, setQuery] = useQuery();
  const wanted = useMemo(() => wantedOf(query), [query]);
  const key = JSON.stringify(wanted);
  const [entries, setEntries] = useState<readonly HistoryEntry[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const latest = useRef(key);
  latest.current = key;
  const isFirst = useRef(true);
  useTitle(pageTitle(t("History"), waitingIn(overview)));

  /** Returns the first of the new entries. */
  async function load(before?: string): Promise<string | undefined> {
    try {
      const page = await api.history({ ...wanted, ...(before === undefined ? {} : { before }), limit: PAGE });
      if (latest.current !== key) return undefined;
      setEntries((old) => (before === undefined ? page.items : [...(old ?? []), ...page.items]));
      setNext(page.next as string | null);
      setProblem(null);
      if (!isFirst.current) announce(shownWords(page.items.length));
      isFirst.current = false;
      return page.items[0]?.interaction_id;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
      return undefined;
    }
  }

  // Keep the old rows until the new ones have loaded.
  useEffect(() => void load(), [key]);

  const drawn = (entry: HistoryEntry) => (
    <Entry key={entry.interaction_id} entry={entry} me={overview.me} onlyChat={(chat) => setQuery({ chat })} />
  );
  const isFiltered = FILTERS.some((name) => query[name] !== undefined);
  const clear = () => setQuery(Object.fromEntries(FILTERS.map((name) => [name, ""])));
  return (
    <div className="page wide history">
      <h2 tabIndex={-1}>{t("History")}</h2>
      <p className="quiet">{t("Every decision, newest first")}</p>
      <Search label={t("Search")} value={query["q"] ?? ""} onChange={(q) => setQuery({ q })} />
      <div className="filters">
        <Quick query={query} setQuery={setQuery} me={overview.me} />
        <SavedFilters list="history" names={FILTERS} query={query} setQuery={setQuery} />
        <Picks label={t("More filters")} isUsed={["outcome", "kind", "person", "tool", "from", "to"].some((name) => query[name] !== undefined)}>
          <Choice
            label={t("Decision")}
            value={query["outcome"] ?? ""}
            onChange={(outcome) => setQuery({ outcome })}
            options={[
              ["", t("Every decision")],
              ["approve", t("Approved or answered")],
              ["partial", t("Approved in part")],
              ["rejected", t("Rejected")],
              ["dismissed", t("Skipped")],
              ["expired", t("Expired")],
              ["cancelled", t("Stopped")],
              ["superseded", t("Replaced by a newer one")],
            ]}
          />
          <Choice
            label={t("Kind")}
            value={query["kind"] ?? ""}
            onChange={(kind) => setQuery({ kind })}
            options={[["", t("Every kind")], ...KINDS.map((kind) => [kind, kindWords(kind)] as const)]}
          />
          <Search label={t("Person")} value={query["person"] ?? ""} onChange={(person) => setQuery({ person })} known={namesIn(entries, "settled_by")} />
          <Search label={t("Tool")} value={query["tool"] ?? ""} onChange={(tool) => setQuery({ tool })} known={namesIn(entries, "tool_name")} />
          <Day label={t("From")} value={query["from"] ?? ""} onChange={(from) => setQuery({ from })} />
          <Day label={t("To")} value={query["to"] ?? ""} onChange={(to) => setQuery({ to })} />
        </Picks>
      </div>
      <p className="history-ways">
        {isFiltered && (
          <button type="button" className="link" onClick={clear}>
            {query["chat"] === undefined ? t("Show everything") : t("Show all chats and everything in them")}
          </button>
        )}
        <span className="history-export">
          <a href={addressOf(`/api/history.csv${asQuery(wanted)}`)} download="history.csv">
            {t("Export as CSV")}
          </a>
          <a href={addressOf(`/api/history.jsonl${asQuery(wanted)}`)} download="history.jsonl">
            {t("Export as JSON lines")}
          </a>
        </span>
      </p>
      {problem !== null && <Failed problem={problem} again={() => void load()} />}
      {entries === null && problem === null && <RowsSkeleton />}
      {entries?.length === 0 && (
        <div className="nothing">
          <p>{isFiltered ? t("No decision matches this filter.") : t("Nothing has been decided yet.")}</p>
          {!isFiltered && <p className="quiet">{t("Every answer, and every request that expired, is kept here.")}</p>}
        </div>
      )}
      {daysOf(entries ?? []).map(([day, some]) => (
        <section key={day} className="history-day" aria-label={dayWords(day, now)}>
          <h3>{dayWords(day, now)}</h3>
          <ul>
            {bySession(some, (entry) => entry.asker).map(({ name, rows }) =>
              name === "" ? (
                rows.map(drawn)
              ) : (
                <li key={rows[0]?.interaction_id} className="history-of-session">
                  <h4 dir="auto">{sessionWords(name)}</h4>
                  <ul>{rows.map(drawn)}</ul>
                </li>
              ),
            )}
          </ul>
        </section>
      ))}
      {next !== null && (
        <button
          type="button"
          className="button"
          onClick={() =>
            void load(next).then((first) => {
              if (first === undefined) return;
              requestAnimationFrame(() => document.querySelector<HTMLElement>(`#${CSS.escape(`entry-${first}`)} summary`)?.focus());
            })
          }
        >
          {t("Show earlier decisions")}
        </button>
      )}
    </div>
  );
}

/** What is asked for most, at one press; pressed again it is off. */
function Quick({ query, setQuery, me }: { query: Query; setQuery: SetQuery; me: string | undefined }) {
  const filters = [
    ...(me === undefined ? [] : [{ name: "person", value: me, words: t("Decided by me") }]),
    { name: "edited", value: "true", words: t("Changed before approval") },
    { name: "outcome", value: "rejected", words: t("Rejected") },
    { name: "ran", value: "went_wrong", words: t("Did not run as approved") },
  ];
  return (
    <div role="group" aria-label={t("Quick filters")}>
      {filters.map(({ name, value, words }) => {
        const isOn = query[name] === value;
        return (
          <button key={name} type="button" className="pill" aria-pressed={isOn} onClick={() => setQuery({ [name]: isOn ? "" : value })}>
            {words}
          </button>
        );
      })}
    </div>
  );
}

/** Those that are in the list, to choose from while one writes. */
function namesIn(entries: readonly HistoryEntry[] | null, name: "settled_by" | "tool_name"): string[] {
  return [...new Set((entries ?? []).map((entry) => entry[name] ?? "").filter((found) => found !== ""))].sort();
}

function Day({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <label className="pick">
      <span>{label}</span>
      <input type="date" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
    </label>
  );
}

function wantedOf(query: Query): HistoryQuery {
  const wanted: Record<string, string> = {};
  for (const name of [...TEXTS, "kind"]) if (query[name] !== undefined) wanted[name] = query[name];
  const { outcome, from, to } = query;
  if (outcome === "partial") wanted["decision"] = "partial";
  else if (outcome === "approve") wanted["status"] = "completed";
  else if (outcome !== undefined) wanted["status"] = outcome;
  if (query["edited"] !== undefined) wanted["edited"] = "true";
  if (query["ran"] !== undefined) wanted["outcome"] = query["ran"];
  const [since, until] = [startOf(from, 0), startOf(to, 1)];
  if (since !== null) wanted["since"] = since;
  if (until !== null) wanted["until"] = until;
  return wanted;
}

/** Return midnight in the reader's zone at the start of this day, or `later` days after it. */
function startOf(day: string | undefined, later: number): string | null {
  const [year, month, date] = (day ?? "").split("-").map(Number);
  if (!year || !month || !date) return null;
  return new Date(year, month - 1, date + later).toISOString();
}

function daysOf(entries: readonly HistoryEntry[]): [day: string, entries: HistoryEntry[]][] {
  const days = new Map<string, HistoryEntry[]>();
  for (const entry of entries) {
    const day = new Date(entry.settled_at ?? entry.asked_at).toDateString();
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days];
}

function dayWords(day: string, now: Date): string {
  const date = new Date(day);
  const daysAgo = Math.round((new Date(now.toDateString()).getTime() - date.getTime()) / 86_400_000);
  if (daysAgo === 0) return t("Today");
  if (daysAgo === 1) return t("Yesterday");
  const year: Intl.DateTimeFormatOptions = date.getFullYear() === now.getFullYear() ? {} : { year: "numeric" };
  return date.toLocaleDateString(locales(), { weekday: "long", day: "numeric", month: "long", ...year });
}
