// The conversation stays at its end while it grows, unless the reader has gone up; older messages come in above
// without moving what is being read.
import { useEffect, useLayoutEffect, useRef, useState } from "react";

/** This close to the end counts as being there. */
const NEAR_PIXELS = 60;
/** What stays free above a card that is too tall for the window. */
const MARGIN_PIXELS = 12;

export interface Scroll {
  isAtEnd: boolean;
  toEnd: () => void;
  /** Call before older entries are drawn above. */
  holdPlace: () => void;
}

type Box = { readonly current: HTMLElement | null };

export function useScroll(box: Box, content: Box, drawn: unknown): Scroll {
  const [isAtEnd, setAtEnd] = useState(true);
  /** Follows the end until the reader moves, and again when they come back to it. */
  const follows = useRef(true);
  const put = useRef(-1);
  const held = useRef<number | null>(null);

  function follow() {
    const element = box.current;
    if (element === null) return;
    element.scrollTop = endOf(element, content.current);
    put.current = element.scrollTop;
  }

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    function scrolled() {
      if (element === null) return;
      const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PIXELS;
      follows.current = isNear || Math.abs(element.scrollTop - put.current) < 2;
      setAtEnd(follows.current);
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
      if (follows.current && !inner.contains(document.activeElement)) follow();
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
    } else if (follows.current) {
      follow();
    }
  }, [drawn]);

  return {
    isAtEnd,
    toEnd() {
      const element = box.current;
      if (element === null) return;
      element.scrollTop = element.scrollHeight;
      follows.current = true;
      setAtEnd(true);
    },
    holdPlace() {
      const element = box.current;
      if (element !== null) held.current = element.scrollHeight - element.scrollTop;
    },
  };
}

/** The end; or, where cards that wait stand there and do not fit, the top of the first: nobody decides from the middle. */
function endOf(element: HTMLElement, content: HTMLElement | null): number {
  const bottom = element.scrollHeight - element.clientHeight;
  let first: HTMLElement | null = null;
  let entry = content?.lastElementChild ?? null;
  while (entry instanceof HTMLElement && entry.dataset["waits"] !== undefined) {
    first = entry;
    entry = entry.previousElementSibling;
  }
  if (first === null) return bottom;
  const top = first.getBoundingClientRect().top - element.getBoundingClientRect().top + element.scrollTop;
  return Math.min(bottom, top - MARGIN_PIXELS);
}
