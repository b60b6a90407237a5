// One stream of hints for all elements of a page, open while at least one of them listens.
import { openHints } from "@sayso/console/parts";
import { listenToHints } from "@sayso/core";
import { useEffect, useRef } from "react";

type Listener = (chatId: string | null) => void;

const listeners = new Set<Listener>();
let stop: (() => void) | null = null;

/** Call `changed` with the id of a changed chat, or with null if anything may have changed; also on mount. */
export function useHints(changed: Listener): void {
  const latest = useRef(changed);
  latest.current = changed;
  useEffect(() => {
    const listener: Listener = (chatId) => latest.current(chatId);
    listeners.add(listener);
    if (stop === null) stop = listenToHints(openHints(), (chatId) => [...listeners].forEach((one) => one(chatId)));
    else listener(null);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      stop?.();
      stop = null;
    };
  }, []);
}
