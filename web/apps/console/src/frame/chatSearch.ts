// Searches chats: debounced, page by page; only the response to the latest query counts.
import { type Api, type ChatSummary, Problem } from "@sayso/core";
import { useSyncExternalStore } from "react";

export interface ChatSearch {
  words: string;
  /** Null until the first response; earlier results stay until the next one. */
  found: readonly ChatSummary[] | null;
  more: string | number | null;
  isAsking: boolean;
  problem: Problem | null;
}

export type ChatSearchStore = ReturnType<typeof createChatSearch>;

/** Debounce, so that a word is not searched letter by letter. */
const PAUSE_MILLISECONDS = 250;
const PAGE = 30;

export function createChatSearch(api: Pick<Api, "chats">) {
  const nothing: ChatSearch = { words: "", found: null, more: null, isAsking: false, problem: null };
  let state = nothing;
  let asked = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const listeners = new Set<() => void>();

  function set(next: Partial<ChatSearch>) {
    state = { ...state, ...next };
    for (const notify of [...listeners]) notify();
  }

  async function ask(before?: string | number) {
    const turn = ++asked;
    set({ isAsking: true });
    try {
      const q = state.words.trim();
      const page = await api.chats({ q, limit: PAGE, ...(before === undefined ? {} : { before }) });
      if (turn !== asked) return;
      const found = before === undefined ? page.items : [...(state.found ?? []), ...page.items];
      set({ found, more: page.next, isAsking: false, problem: null });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (turn === asked) set({ isAsking: false, problem: error });
    }
  }

  return {
    getSnapshot: () => state,
    subscribe(notify: () => void): () => void {
      listeners.add(notify);
      return () => void listeners.delete(notify);
    },
    type(words: string): void {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      asked += 1;
      if (words.trim() === "") return set({ ...nothing, words });
      set({ words, isAsking: true });
      timer = setTimeout(() => void ask(), PAUSE_MILLISECONDS);
    },
    again: () => ask(),
    async loadMore() {
      if (state.more !== null && !state.isAsking) await ask(state.more);
    },
  };
}

export function useChatSearch(store: ChatSearchStore): ChatSearch {
  return useSyncExternalStore(store.subscribe, store.getSnapshot);
}
