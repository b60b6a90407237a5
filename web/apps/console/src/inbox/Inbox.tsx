// The inbox: what waits for a person over all chats. Answered cards stay in place as receipts.
import { clock } from "@sayso/cards";
import { decidedAs, type Interaction, isNotice, messageOf, Problem, t, titleOf } from "@sayso/core";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { Failed, RowsSkeleton } from "../frame/Failed.tsx";
import { pageTitle, useMedia, useNow, useTitle } from "../frame/hooks.ts";
import { shortcutIsOn } from "../frame/nextCard.ts";
import { useQuery } from "../frame/query.ts";
import { warnOfTime } from "../frame/timeWarning.ts";
import { type PageProps, waitingIn } from "../frame/overview.ts";
import { waitingFor } from "../words.ts";
import { Filters, isFiltered, leadFor, NO_FILTER, wantedOf } from "./Filters.tsx";
import { Link, pathTo } from "../router.tsx";
import { claimWords, haveBack, inAnHour, isSnoozed, snooze, toggleClaim } from "./attention.ts";
import { type Alike, alikeOf } from "./alike.ts";
import { AlikeTable } from "./AlikeTable.tsx";
import { canBeChosen, Row } from "./Row.tsx";
import { SettledToday } from "./SettledToday.tsx";
import { BulkApproval } from "./BulkApproval.tsx";
import { askerOf, bySession, sessionWords } from "../sessions.ts";
import { BulkRejection } from "./BulkRejection.tsx";
import { Compare } from "./Compare.tsx";
import { Selection } from "./Selection.tsx";
import { twinsOf } from "./twins.ts";
import { useWaiting } from "./waiting.ts";
import "./inbox.css";

/** Here the list and a card have room beside each other. */
const ROOM_BESIDE = "(min-width: 90rem)";

type Dialog = { at: "deciding"; alike: Alike } | { at: "approving" } | { at: "rejecting" } | { at: "comparing"; later: string };

export function Inbox({ overview, store }: PageProps) {
  const now = useNow(15_000);
  const [query, setQuery] = useQuery();
  const list = useWaiting(useMemo(() => wantedOf(query), [query]), store);
  const [active, setActive] = useState<string | null>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [focusAfter, setFocusAfter] = useState<string | null>(null);
  const isFirst = useRef(true);
  const isBeside = useMedia(ROOM_BESIDE);
  const [shown, later] = useMemo(() => parted(list.rows ?? [], (row) => !isSnoozed(row, now)), [list.rows, now]);
  const sessions = useMemo(() => bySession(shown, askerOf), [shown]);
  const rows = sessions.flatMap((session) => session.rows);
  const counts = overview.counts;
  useTitle(pageTitle(t("Inbox"), waitingIn(overview)));

  useEffect(() => {
    if (list.version === 0) return;
    if (isFirst.current) {
      if (rows.length > 0) announce(waitingFor(counts === null ? rows.length : waitingIn(overview)));
    } else announce(rows.length === 0 ? t("Nothing matches this filter") : t("{n, plural, one {# is shown} other {# are shown}}", { n: rows.length }));
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
    const receipt = () => document.querySelector<HTMLElement>(`#${CSS.escape(`card-${focusAfter}`)} summary`)?.focus();
    if (next !== undefined) focusRow(next.interaction_id);
    // Who has cleared a page is led on to the next one.
    else if (list.hasMore) void list.loadMore().then((first) => (first === undefined ? receipt() : focusRow(first)));
    else receipt();
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
    if (isBeside) return arriveBeside(id);
    setOpen((old) => without(old, id) ?? new Set([...old, id]));
    focusRow(id);
  }

  /** The card is beside its row already; Tab goes on from there. */
  function arriveBeside(id: string) {
    setActive(id);
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`#${CSS.escape(`card-${id}`)} .in-pane`)?.focus());
  }

  function changed(row: Interaction) {
    const isHere = document.getElementById(`card-${row.interaction_id}`)?.contains(document.activeElement) ?? false;
    const isPutOff = isSnoozed(row, now);
    const next = isPutOff ? nextTo(row.interaction_id) : undefined;
    list.put(row);
    void store.refresh();
    if (isPutOff) announce(t("Snoozed until {at}", { at: clock(row.snoozed_until ?? "", now) }));
    if (next !== undefined) return focusRow(next.interaction_id);
    // A notice is done by being shown: nobody did anything, and nobody is led on.
    if (row.status === "pending" || isNotice(row)) return;
    announce(`${titleOf(row)} ${decidedAs(row)}`);
    setChosen((old) => without(old, row.interaction_id) ?? old);
    if (isHere || document.activeElement === document.body) setFocusAfter(row.interaction_id);
  }

  function nextTo(id: string): Interaction | undefined {
    const at = rows.findIndex((row) => row.interaction_id === id);
    return rows[at + 1] ?? rows[at - 1];
  }

  /** Claim the row one is at, or put it off; what cannot be done is told. */
  async function attend(key: "c" | "s") {
    const row = rows.find((one) => one.interaction_id === activeId);
    if (row?.status !== "pending") return;
    try {
      const after = await (key === "c" ? toggleClaim(row, overview.me, now) : snooze(row, inAnHour(now)));
      const words = claimWords(after, overview.me, now);
      if (key === "c") announce(words ?? t("Nobody is looking at it"));
      changed(after);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      announce(error.detail, "assertive");
    }
  }

  function keys(event: KeyboardEvent<HTMLElement>) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = rows.findIndex((row) => row.interaction_id === activeId);
    if (/^[a-z]$/.test(event.key) && !shortcutIsOn()) return;
    // A key that is held down decides one card, not all of them.
    if (event.key === "e" || event.key === "x") {
      event.preventDefault();
      return event.repeat ? undefined : pressIn(activeId, PRESSED_BY[event.key]);
    }
    if (event.key === "c" || event.key === "s") {
      event.preventDefault();
      return event.repeat ? undefined : void attend(event.key);
    }
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
        isOpen={isBeside ? id === activeId : open.has(id)}
        isBeside={isBeside}
        isChosen={chosen.has(id)}
        repeats={twins.get(id)}
        alike={alike.get(id)?.rows.length ?? 0}
        onAlike={() => setDialog({ at: "deciding", alike: alike.get(id)! })}
        onCompare={() => setDialog({ at: "comparing", later: id })}
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
  const twins = useMemo(() => twinsOf(rows), [list.rows]);
  const alike = useMemo(() => alikeOf(rows, twins), [list.rows]);
  const selected = rows.filter((row) => canBeChosen(row) && chosen.has(row.interaction_id));
  const compared = dialog?.at === "comparing" ? rows.find((row) => row.interaction_id === dialog.later) : undefined;
  const earlier = compared && twins.get(compared.interaction_id);
  const leaveOut = (id: string) => setChosen((old) => without(old, id) ?? old);

  function closeDialog() {
    setDialog(null);
    // After "Back" the focus returns; when done it goes on to what still waits.
    const next = rows.find((row) => row.status === "pending") ?? rows[0];
    if (selected.length === 0 && next !== undefined && dialog?.at !== "comparing") focusRow(next.interaction_id);
  }

  const sending = {
    onAnswering: list.isMine,
    onDone: async (ids: readonly string[]) => {
      for (const row of await Promise.all(ids.map((id) => api.interaction(id)))) list.put(row);
      void store.refresh();
    },
    close: closeDialog,
  };
  const bulk = { ...sending, chosen: selected, leaveOut };

  return (
    <div className="page wide inbox" data-beside={isBeside ? "" : undefined}>
      <h2 tabIndex={-1}>{t("Inbox")}</h2>
      <p className="quiet in-lead">
        {leadFor(query)}
        {shortcutIsOn() && rows.length > 0 && <KeysInShort />}
      </p>
      <Filters query={query} setQuery={setQuery} counts={counts} />
      {list.problem !== null && <Failed problem={list.problem} again={() => void list.reload()} />}
      {list.rows === null && list.problem === null && <RowsSkeleton />}
      {list.rows !== null && shown.length === 0 && (
        <Nothing isFiltered={isFiltered(query)} clear={() => setQuery(NO_FILTER)} />
      )}
      <Selection
        rows={rows}
        selected={selected}
        twins={twins}
        choose={(ids) => setChosen(new Set(ids))}
        approve={() => setDialog({ at: "approving" })}
        reject={() => setDialog({ at: "rejecting" })}
      />
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
            {t("In the list, use the arrow keys or j and k; Enter opens a row, e presses its first button, x selects it, c claims it, s snoozes it for an hour.")}
          </p>
          <ul className="in-rows" data-choosing={rows.some(canBeChosen) ? "" : undefined} aria-label={t("What waits")} aria-describedby="inbox-keys">
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
      {later.length > 0 && (
        <details className="in-later">
          <summary>{t("Snoozed ({n})", { n: later.length })}</summary>
          <ul className="in-rows">
            {later.map((row) => (
              <li key={row.interaction_id} className="in-put-off">
                <Link to={pathTo.interaction(row.interaction_id)}>{titleOf(row)}</Link>{" "}
                <span className="quiet">{t("until {at}", { at: clock(row.snoozed_until ?? "", now) })}</span>{" "}
                <button type="button" className="link" onClick={() => void haveBack(row).then(changed)}>
                  {t("Back to the list now")}
                  <span className="unseen">: {titleOf(row)}</span>
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
      <SettledToday store={store} now={now} me={overview.me} besides={rows} />
      {dialog?.at === "deciding" && <AlikeTable {...sending} alike={dialog.alike} />}
      {dialog?.at === "approving" && <BulkApproval {...bulk} />}
      {dialog?.at === "rejecting" && <BulkRejection {...bulk} />}
      {compared !== undefined && earlier !== undefined && <Compare earlier={earlier} later={compared} now={now} close={closeDialog} />}
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
      <p>{t("No waiting request matches this filter.")}</p>
      <button type="button" className="link" onClick={clear}>
        {t("Show everything")}
      </button>
    </div>
  );
}

/** The keys of the list, for those who see it; for those who hear it they describe the list. */
function KeysInShort() {
  return (
    <span className="in-keys" aria-hidden="true">
      <kbd>j</kbd> <kbd>k</kbd> {t("move")} · <kbd>e</kbd> {t("first button")} · <kbd>x</kbd> {t("select")} · <kbd>?</kbd> {t("all keys")}
    </span>
  );
}

/** Split in two, in their order: what is so, and the rest. */
function parted(rows: readonly Interaction[], isSo: (row: Interaction) => boolean): [Interaction[], Interaction[]] {
  return [rows.filter(isSo), rows.filter((row) => !isSo(row))];
}

const PRESSED_BY = { e: ".in-actions .button", x: ".in-choose input" };

/** Do what the row's own button or box does; a key decides nothing that the row does not offer. */
function pressIn(id: string | null, selector: string): void {
  document.querySelector<HTMLElement>(`#${CSS.escape(`card-${id}`)} ${selector}`)?.click();
}

/** Return the set without this id, or null if it was not in it. */
function without(set: ReadonlySet<string>, id: string): ReadonlySet<string> | null {
  if (!set.has(id)) return null;
  const rest = new Set(set);
  rest.delete(id);
  return rest;
}
