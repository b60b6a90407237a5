// The conversation stays at its end while it grows, unless the reader has gone up; older messages come in above
// without moving what is being read.
import { useEffect, useLayoutEffect, useRef, useState } from "react";

/** This close to the end counts as being there. */
const NEAR_PIXELS = 60;

export interface Scroll {
  isAtEnd: boolean;
  toEnd: () => void;
  /** Call before older entries are drawn above. */
  holdPlace: () => void;
}

type Box = { readonly current: HTMLElement | null };

export function useScroll(box: Box, content: Box, drawn: unknown): Scroll {
  const [isAtEnd, setAtEnd] = useState(true);
  const atEnd = useRef(true);
  const held = useRef<number | null>(null);

  function toEnd() {
    const element = box.current;
    if (element === null) return;
    element.scrollTop = element.scrollHeight;
    atEnd.current = true;
    setAtEnd(true);
  }

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    function scrolled() {
      if (element === null) return;
      atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PIXELS;
      setAtEnd(atEnd.current);
    }
    element.addEventListener("scroll", scrolled, { passive: true });
    return () => element.removeEventListener("scroll", scrolled);
  }, []);

  // What grows without a new picture of ours (a card that unfolds, a window that narrows) keeps the end as well,
  // but not under the hand of somebody who works in a card.
  useEffect(() => {
    const element = box.current;
    const inner = content.current;
    if (element === null || inner === null || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => {
      if (atEnd.current && !inner.contains(document.activeElement)) element.scrollTop = element.scrollHeight;
    });
    observer.observe(inner);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    if (held.current !== null) {
      element.scrollTop = element.scrollHeight - held.current;
      held.current = null;
    } else if (atEnd.current) {
      element.scrollTop = element.scrollHeight;
    }
  }, [drawn]);

  return {
    isAtEnd,
    toEnd,
    holdPlace() {
      const element = box.current;
      if (element !== null) held.current = element.scrollHeight - element.scrollTop;
    },
  };
}

