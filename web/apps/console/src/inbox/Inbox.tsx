// The inbox: what waits for a person over all chats. Answered cards stay in place as receipts.
import { cardMetaOf, decidedAs, type Interaction, isNotice, messageOf, t, titleOf } from "@sayso/core";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { Failed, RowsSkeleton } from "../frame/Failed.tsx";
import { pageTitle, useNow, useTitle } from "../frame/hooks.ts";
import { shortcutIsOn } from "../frame/nextCard.ts";
import { useQuery } from "../frame/query.ts";
import { warnOfTime } from "../frame/timeWarning.ts";
import type { PageProps } from "../frame/overview.ts";
import { waitingFor } from "../words.ts";
import { Filters, isFiltered, leadFor, NO_FILTER, wantedOf } from "./Filters.tsx";
import { Row } from "./Row.tsx";
import { SettledToday } from "./SettledToday.tsx";
import { BulkApproval } from "./BulkApproval.tsx";
import { askerOf, bySession, sessionWords } from "../sessions.ts";
import { useWaiting } from "./waiting.ts";
import "./inbox.css";

/** The server's limit. */
const MAX_BULK = 100;

export function Inbox({ overview, store }: PageProps) {
  const now = useNow(15_000);
  const [query, setQuery] = useQuery();
  const list = useWaiting(useMemo(() => wantedOf(query), [query]), store);
  const [active, setActive] = useState<string | null>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isReviewing, setReviewing] = useState(false);
  const [focusAfter, setFocusAfter] = useState<string | null>(null);
  const isFirst = useRef(true);
  const sessions = useMemo(() => bySession(list.rows ?? [], askerOf), [list.rows]);
  const rows = sessions.flatMap((session) => session.rows);
  const counts = overview.counts;
  useTitle(pageTitle(t("Inbox"), counts?.pending ?? 0));

  useEffect(() => {
    if (list.version === 0) return;
    if (isFirst.current) {
      if (rows.length > 0) announce(waitingFor(counts?.pending ?? rows.length));
    } else announce(rows.length === 0 ? t("Nothing meets this filter") : t("{n, plural, one {# is shown} other {# are shown}}", { n: rows.length }));
    isFirst.current = false;
  }, [list.version]);

  useEffect(() => {
    for (const row of rows) warnOfTime(messageOf(row), now);
  }, [list.rows, now]);

  // After an answer the focus moves on: to the next waiting row, else the one before, else the receipt.
  useEffect(() => {
    if (focusAfter === null) return;
    setFocusAfter(null);
    const at = rows.findIndex((row) => row.interaction_id === focusAfter);
    const waits = (row: Interaction) => row.status === "pending";
    const next = rows.slice(at + 1).find(waits) ?? rows.slice(0, Math.max(at, 0)).reverse().find(waits);
    if (next !== undefined) focusRow(next.interaction_id);
    else document.querySelector<HTMLElement>(`#${CSS.escape(`card-${focusAfter}`)} summary`)?.focus();
  }, [focusAfter]);

  function focusRow(id: string) {
    setActive(id);
    // Render first, so that opened or new rows exist.
    requestAnimationFrame(() => {
      const row = document.getElementById(`card-${id}`);
      row?.focus({ preventScroll: true });
      row?.scrollIntoView({ block: "nearest" });
    });
  }

  function toggle(id: string) {
    setOpen((old) => without(old, id) ?? new Set([...old, id]));
    focusRow(id);
  }

  function changed(row: Interaction) {
    const isHere = document.getElementById(`card-${row.interaction_id}`)?.contains(document.activeElement) ?? false;
    list.put(row);
    void store.refresh();
    // A notice is done by being shown: nobody did anything, and nobody is led on.
    if (row.status === "pending" || isNotice(row)) return;
    announce(`${titleOf(row)} ${decidedAs(row)}`);
    setChosen((old) => without(old, row.interaction_id) ?? old);
    if (isHere || document.activeElement === document.body) setFocusAfter(row.interaction_id);
  }

  function keys(event: KeyboardEvent<HTMLElement>) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = rows.findIndex((row) => row.interaction_id === activeId);
    const isLetter = event.key === "j" || event.key === "k";
    if (isLetter && !shortcutIsOn()) return;
    const to =
      event.key === "ArrowDown" || event.key === "j"
        ? here + 1
        : event.key === "ArrowUp" || event.key === "k"
          ? here - 1
          : event.key === "Home"
            ? 0
            : event.key === "End"
              ? rows.length - 1
              : null;
    const row = rows[Math.min(Math.max(to ?? here, 0), rows.length - 1)];
    if (row === undefined || (to === null && event.key !== "Enter")) return;
    event.preventDefault();
    if (to !== null) focusRow(row.interaction_id);
    else if (row.status === "pending") toggle(row.interaction_id);
    else document.querySelector<HTMLElement>(`#${CSS.escape(`card-${row.interaction_id}`)} summary`)?.click();
  }

  function drawn(row: Interaction) {
    const id = row.interaction_id;
    return (
      <Row
        key={id}
        interaction={row}
        now={now}
        me={overview.me}
        isActive={id === activeId}
        isOpen={open.has(id)}
        isChosen={chosen.has(id)}
        onActive={() => setActive(id)}
        onToggle={() => toggle(id)}
        onChoose={(isChosen) => setChosen((old) => (isChosen ? new Set([...old, id]) : (without(old, id) ?? old)))}
        onKeyDown={keys}
        onChange={changed}
        onAnswering={list.isMine}
      />
    );
  }

  const activeId = rows.some((row) => row.interaction_id === active) ? active : (rows[0]?.interaction_id ?? null);
  const bulk = rows.filter(isBulk);
  const selected = bulk.filter((row) => chosen.has(row.interaction_id));

  return (
    <div className="page wide inbox">
      <h2 tabIndex={-1}>{t("Inbox")}</h2>
      <p className="quiet">{leadFor(query)}</p>
      <Filters query={query} setQuery={setQuery} counts={counts} />
      {list.problem !== null && <Failed problem={list.problem} again={() => void list.reload()} />}
      {list.rows === null && list.problem === null && <RowsSkeleton />}
      {list.rows !== null && rows.length === 0 && (
        <Nothing isFiltered={isFiltered(query)} clear={() => setQuery(NO_FILTER)} />
      )}
      {bulk.length > 1 && (
        <div className="in-bulk" data-chosen={selected.length > 0 ? "" : undefined}>
          <label>
            <input
              type="checkbox"
              checked={selected.length === Math.min(bulk.length, MAX_BULK)}
              onChange={(event) =>
                setChosen(new Set(event.currentTarget.checked ? bulk.slice(0, MAX_BULK).map((row) => row.interaction_id) : []))
              }
            />
            {t("Choose all {n} that may be approved together", { n: Math.min(bulk.length, MAX_BULK) })}
          </label>
          {selected.length > 0 && (
            <button type="button" className="button" onClick={() => setReviewing(true)}>
              {t("Review and approve {n}…", { n: selected.length })}
            </button>
          )}
        </div>
      )}
      {list.news > 0 && (
        <p className="in-news">
          <button type="button" className="button" onClick={() => void list.reload()}>
            {t("{n, plural, one {Show # new one} other {Show # new ones}}", { n: list.news })}
          </button>
        </p>
      )}
      {rows.length > 0 && (
        <>
          <p className="unseen" id="inbox-keys">
            {t("Arrow keys lead from row to row, Enter opens one.")}
          </p>
          <ul className="in-rows" data-choosing={bulk.length > 0 ? "" : undefined} aria-label={t("What waits")} aria-describedby="inbox-keys">
            {sessions.map(({ name, rows }) =>
              name === "" ? (
                rows.map(drawn)
              ) : (
                <li key={rows[0]?.interaction_id} className="in-session">
                  <h3 dir="auto">{sessionWords(name)}</h3>
                  <ul className="in-rows" aria-label={sessionWords(name)}>
                    {rows.map(drawn)}
                  </ul>
                </li>
              ),
            )}
          </ul>
          {list.hasMore && (
            <button
              type="button"
              className="button"
              onClick={() => void list.loadMore().then((first) => first !== undefined && focusRow(first))}
            >
              {t("Show more")}
            </button>
          )}
        </>
      )}
      <SettledToday store={store} now={now} me={overview.me} besides={rows} />
      {isReviewing && (
        <BulkApproval
          chosen={selected}
          leaveOut={(id) => setChosen((old) => without(old, id) ?? old)}
          onAnswering={list.isMine}
          onDone={async (ids) => {
            for (const row of await Promise.all(ids.map((id) => api.interaction(id)))) list.put(row);
            void store.refresh();
          }}
          close={() => {
            setReviewing(false);
            // After "Back" the focus returns; when done it goes on to what still waits.
            const next = rows.find((row) => row.status === "pending") ?? rows[0];
            if (selected.length === 0 && next !== undefined) focusRow(next.interaction_id);
          }}
        />
      )}
    </div>
  );
}

function Nothing({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  if (!isFiltered) {
    return (
      <div className="nothing">
        <p>{t("Nothing waits for you.")}</p>
        <p className="quiet">{t("When an agent needs a person, it shows up here.")}</p>
      </div>
    );
  }
  return (
    <div className="nothing">
      <p>{t("Nothing that waits meets this filter.")}</p>
      <button type="button" className="link" onClick={clear}>
        {t("Show everything")}
      </button>
    </div>
  );
}

function isBulk(row: Interaction): boolean {
  return row.status === "pending" && cardMetaOf(row.payload).bulk === true;
}

/** Return the set without this id, or null if it was not in it. */
function without(set: ReadonlySet<string>, id: string): ReadonlySet<string> | null {
  if (!set.has(id)) return null;
  const rest = new Set(set);
  rest.delete(id);
  return rest;
}
