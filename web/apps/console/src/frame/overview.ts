// The store behind the lists over all chats: chats and what waits in them. Reloaded when the server hints at a change.
import {
  type Api,
  type ChatSummary,
  type HintSource,
  type Interaction,
  listenToHints,
  type Page,
  type PendingCounts,
  Problem,
} from "@sayso/core";
import { useSyncExternalStore } from "react";
import { session } from "../person.ts";

export interface Overview {
  /** The current person, once known: their decisions read "by you". */
  me: string | undefined;
  /** Their role. The server enforces it; here it only hides navigation. */
  role: string | undefined;
  chats: readonly ChatSummary[] | null;
  /** Cursor of the next page of older chats; null if all are loaded. */
  moreChats: string | number | null;
  /** How many things wait in all chats; null until loaded. */
  counts: PendingCounts | null;
  /** The newest of them, for notifications. */
  newest: readonly Interaction[] | null;
  problem: Problem | null;
}

/** Hints come in bursts while an agent works; reload once after each burst. */
const SETTLE_MILLISECONDS = 150;
/** More than these in one burst are not worth individual notifications. */
export const NEWEST = 20;

const PAGE = 30;

export type OverviewStore = ReturnType<typeof createOverview>;

/** The props of the views over all chats. */
export interface PageProps {
  overview: Overview;
  store: OverviewStore;
}

export function createOverview(api: Api, openHints: () => HintSource) {
  let state: Overview = { me: undefined, role: undefined, chats: null, moreChats: null, counts: null, newest: null, problem: null };
  const listeners = new Set<() => void>();
  const hintListeners = new Set<(chatId: string | null) => void>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let stop: (() => void) | null = null;
  let loading = false;
  let again = false;

  function set(next: Partial<Overview>) {
    state = { ...state, ...next };
    for (const notify of [...listeners]) notify();
  }

  async function load() {
    if (loading) {
      again = true;
      return;
    }
    loading = true;
    try {
      const counting = api.counts();
      const [chats, counts, newest] = await Promise.all([
        api.chats({ limit: PAGE }),
        counting,
        // After the count: a card that the title counts must not be told later, as if it were new then.
        counting.then(() => api.interactions({ status: "pending", limit: NEWEST })),
      ]);
      set({ ...withNewest(state, chats), counts, newest: newest.items, problem: null });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      set({ problem: error });
    } finally {
      loading = false;
      if (again) {
        again = false;
        refreshSoon();
      }
    }
  }

  function refreshSoon() {
    timer ??= setTimeout(() => {
      timer = null;
      void load();
    }, SETTLE_MILLISECONDS);
  }

  return {
    getSnapshot: () => state,
    subscribe(notify: () => void): () => void {
      listeners.add(notify);
      return () => void listeners.delete(notify);
    },
    /** Called with the chat that changed, or null when anything may have. */
    onHint(listener: (chatId: string | null) => void): () => void {
      hintListeners.add(listener);
      return () => void hintListeners.delete(listener);
    },
    refresh: load,
    /** Load the next page; returns how many chats it added. */
    async loadMoreChats(): Promise<number> {
      const before = state.moreChats;
      if (before === null) return 0;
      const page = await api.chats({ before, limit: PAGE });
      // The list was reset meanwhile, so this page no longer fits.
      if (state.moreChats !== before) return 0;
      const known = new Set(state.chats?.map((chat) => chat.id));
      const more = page.items.filter((chat) => !known.has(chat.id));
      set({ chats: [...(state.chats ?? []), ...more], moreChats: page.next });
      return more.length;
    },
    start(): void {
      void load();
      session().then(
        ({ person, role }) => set({ me: person, role }),
        // Without a session, names are shown instead of "you".
        () => undefined,
      );
      stop ??= listenToHints(openHints(), (chatId) => {
        refreshSoon();
        for (const listener of [...hintListeners]) listener(chatId);
      });
    },
    stop(): void {
      stop?.();
      stop = null;
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}

/** How many wait for the reader: what they have put off does not. */
export function waitingIn({ counts }: Overview): number {
  return (counts?.pending ?? 0) - (counts?.snoozed ?? 0);
}

export function useOverview(store: OverviewStore): Overview {
  return useSyncExternalStore(store.subscribe, store.getSnapshot);
}

/** Merge a reloaded first page. Older pages stay if they connect to it; otherwise the list is reset. */
function withNewest(
  { chats, moreChats }: Pick<Overview, "chats" | "moreChats">,
  newest: Page<ChatSummary>,
): Pick<Overview, "chats" | "moreChats"> {
  const last = newest.items.at(-1);
  const meets = last !== undefined && chats?.some((chat) => chat.updated_at >= last.updated_at);
  if (newest.next === null || !meets) return { chats: newest.items, moreChats: newest.next };
  const there = new Set(newest.items.map((chat) => chat.id));
  const below = chats?.filter((chat) => !there.has(chat.id) && chat.updated_at <= last.updated_at) ?? [];
  return { chats: [...newest.items, ...below], moreChats: below.length > 0 ? moreChats : newest.next };
}
