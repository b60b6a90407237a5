// What lists show over all chats: the chats, and what waits in them. Loaded again when the server hints at a change.
import { type ChatSummary, type HintSource, type Interaction, listenToHints, Problem, type Api } from "@sayso/core";
import { useSyncExternalStore } from "react";

export interface Overview {
  /** Who is looking, once that is known: what they did reads "by you". */
  me: string | undefined;
  chats: readonly ChatSummary[] | null;
  /** Where older chats go on; null when all are here. */
  moreChats: string | number | null;
  pending: readonly Interaction[] | null;
  problem: Problem | null;
}

/** Hints come in bursts while an agent works; the lists follow a little later, once. */
const SETTLE_MILLISECONDS = 150;

export type OverviewStore = ReturnType<typeof createOverview>;

export function createOverview(api: Api, openHints: () => HintSource) {
  let state: Overview = { me: undefined, chats: null, moreChats: null, pending: null, problem: null };
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
      const shown = state.chats?.length ?? 0;
      const [chats, pending] = await Promise.all([
        api.chats({ limit: Math.max(30, shown) }),
        api.interactions({ status: "pending", limit: 200 }),
      ]);
      const oldestFirst = [...pending.items].sort((a, b) => a.created_at.localeCompare(b.created_at));
      set({ chats: chats.items, moreChats: chats.next, pending: oldestFirst, problem: null });
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
    async loadMoreChats() {
      if (state.moreChats === null) return;
      const page = await api.chats({ before: state.moreChats, limit: 30 });
      set({ chats: [...(state.chats ?? []), ...page.items], moreChats: page.next });
    },
    start(): void {
      void load();
      api.session().then(
        ({ person }) => set({ me: person }),
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
