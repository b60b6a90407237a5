// Focus management by refs: a card may be in a shadow root, where `document.getElementById` finds nothing.
import { useLayoutEffect, useRef } from "react";

/** The type of a ref that React 18 and Preact share. */
export interface MutableRef<T> {
  current: T | null;
}

/** Whether this element contains the focus, in its own document or shadow root. */
export function hasFocus(element: HTMLElement | null | undefined): boolean {
  if (!element) return false;
  const active = (element.getRootNode() as Document | ShadowRoot).activeElement;
  return active instanceof Node && element.contains(active);
}

/** Focus the element on mount, if `isAskedFor`. */
export function useFocusOnMount<T extends HTMLElement>(isAskedFor = true): MutableRef<T> {
  const ref = useRef<T>(null);
  useLayoutEffect(() => {
    if (isAskedFor) ref.current?.focus();
  }, []);
  return ref;
}

/**
 * Focus the element on mount, unless the reader has moved on to something else meanwhile:
 * a send can fail long after its button was pressed.
 */
export function useFocusIfStillHere<T extends HTMLElement>(): MutableRef<T> {
  const ref = useRef<T>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    const card = element?.closest<HTMLElement>(".sy-slot");
    if (!element || !card) return;
    const active = (element.getRootNode() as Document | ShadowRoot).activeElement;
    if (active === null || active === document.body || card.contains(active)) element.focus();
  }, []);
  return ref;
}

/**
 * When `step` changes while `root` has the focus, focus `target()`, so that the focus never falls to the page.
 * The focus is checked while rendering: after the commit the focused element is gone.
 */
export function useFocusAcross(
  step: string,
  root: MutableRef<HTMLElement>,
  target: () => HTMLElement | null | undefined,
): void {
  const last = useRef(step);
  const wasInside = useRef(false);
  if (last.current !== step) wasInside.current = hasFocus(root.current);
  useLayoutEffect(() => {
    if (last.current === step) return;
    last.current = step;
    if (wasInside.current) target()?.focus();
  }, [step]);
}
