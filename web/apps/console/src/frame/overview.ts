// What lists show over all chats: the chats, and what waits in them. Loaded again when the server hints at a change.
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
  /** Who is looking, once that is known: what they did reads "by you". */
  me: string | undefined;
  /** What they may do; the server decides, this only says which doors are shown. */
  role: string | undefined;
  chats: readonly ChatSummary[] | null;
  /** Where older chats go on; null when all are here. */
  moreChats: string | number | null;
  /** How many things wait in all chats; null until that is known. */
  counts: PendingCounts | null;
  /** The newest of them, for whoever is to be told. */
  newest: readonly Interaction[] | null;
  problem: Problem | null;
}

/** Hints come in bursts while an agent works; the lists follow a little later, once. */
const SETTLE_MILLISECONDS = 150;
/** More than these do not come in one burst that a person should be told of one by one. */
const NEWEST = 20;

const PAGE = 30;

export type OverviewStore = ReturnType<typeof createOverview>;

export function createOverview(api: Api, openHints: () => HintSource) {
  let state: Overview = { me: undefined, role: undefined, chats: null, moreChats: null, counts: null, newest: null, problem: null };
  const listeners = new Set<() => void>();
  const hinted = new Set<(chatId: string | null) => void>();
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
      const [chats, counts, newest] = await Promise.all([
        api.chats({ limit: PAGE }),
        api.counts(),
        api.interactions({ status: "pending", limit: NEWEST }),
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
    onHint(hear: (chatId: string | null) => void): () => void {
      hinted.add(hear);
      return () => void hinted.delete(hear);
    },
    refresh: load,
    /** How many older ones there are now that were not here before. */
    async loadMoreChats(): Promise<number> {
      const before = state.moreChats;
      if (before === null) return 0;
      const page = await api.chats({ before, limit: PAGE });
      // A list that began anew meanwhile goes on elsewhere.
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
        // Then names stand where "you" would.
        () => undefined,
      );
      stop ??= listenToHints(openHints(), (chatId) => {
        refreshSoon();
        for (const hear of [...hinted]) hear(chatId);
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

export function useOverview(store: OverviewStore): Overview {
  return useSyncExternalStore(store.subscribe, store.getSnapshot);
}

/** The list with its newest page read again. What lies below stays, where the two meet; else the list begins anew. */
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
