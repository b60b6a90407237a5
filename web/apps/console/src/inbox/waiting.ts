// The rows of the inbox: loaded page by page and kept in place while things change.
import { decidedAs, type Interaction, type InteractionQuery, isHold, Problem, titleOf } from "@sayso/core";
import { useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import type { OverviewStore } from "../frame/overview.ts";
import { serialQueue } from "../serialQueue.ts";
import { newsOf } from "../words.ts";

const PAGE = 50;
const MOST_AT_ONCE = 200;
/** Hints come in bursts while an agent works. */
const SETTLE_MILLISECONDS = 150;

export interface Waiting {
  /** What waits, and what was settled since. Null until the first page is loaded. */
  rows: readonly Interaction[] | null;
  hasMore: boolean;
  /** Counts reloads, so that each can be announced. */
  version: number;
  /** New rows that do not belong at the end of this order; shown on request. */
  news: number;
  problem: Problem | null;
  /** Returns the id of the first new row. */
  loadMore: () => Promise<string | undefined>;
  reload: () => Promise<void>;
  put: (changed: Interaction) => void;
  /** Mark as answered here, so that its settlement is not announced. */
  isMine: (interactionId: string) => void;
}

export function useWaiting(query: InteractionQuery, store: OverviewStore): Waiting {
  const [rows, setRows] = useState<readonly Interaction[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [version, setVersion] = useState(0);
  const [news, setNews] = useState<ReadonlySet<string>>(new Set());
  const mine = useRef(new Set<string>());
  const reading = useRef(Promise.resolve());
  const [enqueue] = useState(serialQueue);
  const wanted = JSON.stringify(query);
  // The latest values, for callbacks.
  const now = useRef({ rows, next, wanted });
  now.current = { rows, next, wanted };

  const ask = (more: InteractionQuery) => api.interactions({ ...query, status: "pending", ...more });
  const put = (changed: Interaction) =>
    setRows((old) => old?.map((row) => (row.interaction_id === changed.interaction_id ? changed : row)) ?? null);

  async function attempt(load: () => Promise<void>) {
    try {
      await load();
      setProblem(null);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  }

  const reload = () =>
    (reading.current = attempt(async () => {
      const page = await ask({ limit: PAGE });
      if (now.current.wanted !== wanted) return;
      setRows(page.items);
      setNext(page.next as string | null);
      setNews(new Set());
      setVersion((n) => n + 1);
    }));

  async function settledElsewhere(row: Interaction) {
    if (mine.current.has(row.interaction_id)) return;
    const after = await api.interaction(row.interaction_id);
    put(after);
    if (after.status !== "pending") announce(`${titleOf(after)} ${decidedAs(after)}`);
  }

  /** Reload what may have changed: one chat's cards, or all loaded rows. */
  async function refresh(chat: string | null): Promise<void> {
    // Let the first load finish: it is announced as the list, and later changes as news.
    if (now.current.rows === null) await reading.current;
    const here = now.current.rows;
    if (here === null) return reload();
    return attempt(async () => {
      const most = Math.min(MOST_AT_ONCE, Math.max(PAGE, here.length));
      const page = await (chat === null ? ask({ limit: most }) : ask({ chat, limit: MOST_AT_ONCE }));
      const current = now.current.rows;
      if (now.current.wanted !== wanted || current === null) return;
      const found = new Map(page.items.map((row) => [row.interaction_id, row]));
      const known = new Set(current.map((row) => row.interaction_id));
      const fresh = page.items.filter((row) => !known.has(row.interaction_id));
      // Settled rows stay settled, even if this list was read before.
      const same = current.map((row) => (row.status === "pending" ? (found.get(row.interaction_id) ?? row) : row));
      const isEnd = (query.order ?? "oldest") === "oldest" && now.current.next === null;
      setRows(isEnd ? [...same, ...fresh] : same);
      // In an order that grows at its end, rows of later pages are not news.
      if (!isEnd && query.order !== "oldest") setNews((old) => new Set([...old, ...fresh.map((row) => row.interaction_id)]));
      for (const row of fresh) announce(newsOf(titleOf(row), isHold(row)));
      const isListed = (row: Interaction) => (chat === null ? page.next === null : row.chat_id === chat);
      const gone = current.filter((row) => row.status === "pending" && isListed(row) && !found.has(row.interaction_id));
      await Promise.all(gone.map(settledElsewhere));
    });
  }

  // Keep the old rows until the new ones have loaded.
  useEffect(() => void reload(), [wanted]);

  useEffect(() => {
    const chats = new Set<string | null>();
    let timer: ReturnType<typeof setTimeout> | null = null;
    const off = store.onHint((chat) => {
      chats.add(chat);
      timer ??= setTimeout(() => {
        timer = null;
        const all = chats.has(null) ? [null] : [...chats];
        chats.clear();
        // One at a time: two would both find the same new row.
        for (const one of all) void enqueue(() => refresh(one));
      }, SETTLE_MILLISECONDS);
    });
    return () => {
      off();
      if (timer !== null) clearTimeout(timer);
    };
  }, [wanted]);

  async function loadMore() {
    const { next: before } = now.current;
    if (before === null) return undefined;
    let first: string | undefined;
    await attempt(async () => {
      const page = await ask({ limit: PAGE, before });
      if (now.current.wanted !== wanted) return;
      const known = new Set(now.current.rows?.map((row) => row.interaction_id));
      const more = page.items.filter((row) => !known.has(row.interaction_id));
      first = more[0]?.interaction_id;
      setRows((old) => [...(old ?? []), ...more]);
      setNext(page.next as string | null);
    });
    return first;
  }

  return {
    rows,
    hasMore: next !== null,
    version,
    news: news.size,
    problem,
    loadMore,
    reload,
    put,
    isMine: (id) => void mine.current.add(id),
  };
}
