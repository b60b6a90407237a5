// Keeps the log scrolled to its end while it grows, unless the reader has scrolled up: then what they read stays in place,
// whatever is inserted above it and however late its height is known.
import { useEffect, useLayoutEffect, useRef, useState } from "react";

/** This close counts as the end. */
const NEAR_PIXELS = 60;
/** The margin above a card that is taller than the window. */
const MARGIN_PIXELS = 12;

export interface Scroll {
  isAtEnd: boolean;
  toEnd: () => void;
}

type Box = { readonly current: HTMLElement | null };

/** The entry being read and its distance from the upper edge. */
interface Anchor {
  entry: HTMLElement;
  top: number;
}

export function useScroll(box: Box, content: Box, drawn: unknown): Scroll {
  const [isAtEnd, setAtEnd] = useState(true);
  /** Follow the end until the reader scrolls away, and again when they return. */
  const follows = useRef(true);
  const put = useRef(-1);
  const anchor = useRef<Anchor | null>(null);
  /** The report beyond which the reader has gone to the end. */
  const passed = useRef<HTMLElement | undefined>(undefined);

  function follow() {
    const element = box.current;
    if (element === null) return;
    element.scrollTop = endOf(element, content.current, passed.current);
    put.current = element.scrollTop;
    setAtEnd(!hidesMuch(element));
    look();
  }

  function look() {
    anchor.current = anchorOf(box.current, content.current);
  }

  /** Correct the scroll position if the entry being read has moved. */
  function hold() {
    const element = box.current;
    const known = anchor.current;
    if (element === null || known === null || !known.entry.isConnected) return look();
    const moved = topIn(element, known.entry) - known.top;
    if (Math.abs(moved) >= 0.5) element.scrollTop += moved;
    put.current = element.scrollTop;
    // A collapsing card can bring the end into view; then there is nothing to jump to.
    if (!follows.current && isNearEnd(element)) {
      follows.current = true;
      setAtEnd(true);
    }
  }

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    function scrolled() {
      if (element === null) return;
      // Ignore scrolling caused by us.
      if (Math.abs(element.scrollTop - put.current) >= 2) {
        follows.current = isNearEnd(element);
        if (follows.current) passed.current = lastReport(content.current);
        put.current = -1;
      }
      setAtEnd(follows.current && !hidesMuch(element));
      look();
    }
    element.addEventListener("scroll", scrolled, { passive: true });
    element.addEventListener("focusin", look);
    return () => {
      element.removeEventListener("scroll", scrolled);
      element.removeEventListener("focusin", look);
    };
  }, []);

  // Changes without a render (a card that unfolds, a resized window, a part that comes into view
  // and gets its real height) keep the position too; but do not follow the end while someone works in a card.
  useEffect(() => {
    const element = box.current;
    const inner = content.current;
    if (element === null || inner === null || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => {
      if (!follows.current) hold();
      else if (!inner.contains(treeOf(inner).activeElement)) follow();
    });
    observer.observe(inner);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    if (follows.current && !isTyping(content.current)) follow();
    else hold();
  }, [drawn]);

  return {
    isAtEnd,
    toEnd() {
      const element = box.current;
      if (element === null) return;
      follows.current = true;
      passed.current = lastReport(content.current);
      setAtEnd(true);
      element.scrollTop = element.scrollHeight;
      put.current = element.scrollTop;
      look();
    },
  };
}

/** Return the document or shadow root, which knows the focused element. */
export function treeOf(element: HTMLElement | null): Document | ShadowRoot {
  const root = element?.getRootNode();
  return root instanceof ShadowRoot ? root : document;
}

/** Keep a card in place while someone types in it, whatever the agent says meanwhile. */
function isTyping(content: HTMLElement | null): boolean {
  const focused = treeOf(content).activeElement;
  return (content?.contains(focused) && focused?.matches("input, textarea, select")) ?? false;
}

function isNearEnd(box: HTMLElement): boolean {
  return box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PIXELS;
}

/** A line or two below a report need no button that leads to them. */
function hidesMuch(box: HTMLElement): boolean {
  return box.scrollHeight - box.scrollTop - box.clientHeight > box.clientHeight / 2;
}

function topIn(box: HTMLElement, element: Element): number {
  return element.getBoundingClientRect().top - box.getBoundingClientRect().top;
}

/** Return the entry with the focus, if visible; else the first that begins in view, or the one that fills it. */
function anchorOf(box: HTMLElement | null, content: HTMLElement | null): Anchor | null {
  if (box === null || content === null) return null;
  const { top: upper, bottom: lower } = box.getBoundingClientRect();
  const isSeen = (element: Element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > upper && top < lower;
  };
  const worked = treeOf(content).activeElement?.closest<HTMLElement>(".entry");
  if (worked && content.contains(worked) && isSeen(worked)) return { entry: worked, top: topIn(box, worked) };
  let filling: HTMLElement | null = null;
  for (const part of content.querySelectorAll(":scope > .log-part")) {
    if (!isSeen(part)) continue;
    for (const entry of part.querySelectorAll<HTMLElement>(":scope > .entry")) {
      if (!isSeen(entry)) continue;
      if (entry.getBoundingClientRect().top >= upper) return { entry, top: topIn(box, entry) };
      filling = entry;
    }
  }
  return filling === null ? null : { entry: filling, top: topIn(box, filling) };
}

/** Return the end, or the top of the first waiting card, or of a report, if they do not fit: a card is read from its top. */
function endOf(element: HTMLElement, content: HTMLElement | null, passed: HTMLElement | undefined): number {
  const bottom = element.scrollHeight - element.clientHeight;
  const entries = lastEntries(content);
  const settled = entries.findLastIndex((entry) => entry.dataset["waits"] === undefined);
  const report = lastReport(content);
  const first = entries[settled + 1] ?? (report === passed ? undefined : report);
  if (first === undefined) return bottom;
  return Math.min(bottom, topIn(element, first) + element.scrollTop - MARGIN_PIXELS);
}

function lastEntries(content: HTMLElement | null): HTMLElement[] {
  return [...(content?.querySelectorAll<HTMLElement>(":scope > .log-part:last-of-type > .entry") ?? [])];
}

/** The card that the agent's last turn ends with, at most followed by one message: a report, or an error. */
function lastReport(content: HTMLElement | null): HTMLElement | undefined {
  return lastEntries(content).slice(-2).findLast((entry) => entry.querySelector(":scope > article:not([data-state=settled])") !== null);
}
