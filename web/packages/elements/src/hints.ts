// One stream of hints for all elements of a page, open while at least one of them listens.
import { openHints } from "@sayso/console/parts";
import { listenToHints } from "@sayso/core";
import { useEffect, useRef } from "react";

type Hear = (chatId: string | null) => void;

const heard = new Set<Hear>();
let stop: (() => void) | null = null;

/** Calls `changed` with the chat that changed, or null when anything may have; also at the beginning. */
export function useHints(changed: Hear): void {
  const latest = useRef(changed);
  latest.current = changed;
  useEffect(() => {
    const hear: Hear = (chatId) => latest.current(chatId);
    heard.add(hear);
    if (stop === null) stop = listenToHints(openHints(), (chatId) => [...heard].forEach((one) => one(chatId)));
    else hear(null);
    return () => {
      heard.delete(hear);
      if (heard.size > 0) return;
      stop?.();
      stop = null;
    };
  }, []);
}
