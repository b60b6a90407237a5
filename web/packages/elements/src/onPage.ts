// The chats that this page shows in elements of its own: an inbox beside them does not draw their cards again.
import { useEffect, useSyncExternalStore } from "react";

const here = new Map<string, HTMLElement | null>();
const listeners = new Set<() => void>();
let ids = "";

function moved(): void {
  ids = [...here.keys()].join(" ");
  for (const notify of listeners) notify();
}

export function useShowsChat(chatId: string, place: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    here.set(chatId, place.current);
    moved();
    return () => {
      here.delete(chatId);
      moved();
    };
  }, [chatId]);
}

export function useChatsHere(): ReadonlyMap<string, HTMLElement | null> {
  useSyncExternalStore(
    (notify) => {
      listeners.add(notify);
      return () => void listeners.delete(notify);
    },
    () => ids,
  );
  return here;
}
