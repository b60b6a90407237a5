// Focus by reference: a card may stand in a shadow root, where a document finds nothing by id.
import { useLayoutEffect, useRef } from "react";

/** What a ref holds, as React 18 and Preact both have it. */
export interface Held<T> {
  current: T | null;
}

/** Whether the focus is inside this element, seen from the element's own root. */
export function hasFocus(element: HTMLElement | null | undefined): boolean {
  if (!element) return false;
  const active = (element.getRootNode() as Document | ShadowRoot).activeElement;
  return active instanceof Node && element.contains(active);
}

/** Focus the element the first time it is drawn, unless nobody asked for it. */
export function useFocusOnMount<T extends HTMLElement>(isAskedFor = true): Held<T> {
  const ref = useRef<T>(null);
  useLayoutEffect(() => {
    if (isAskedFor) ref.current?.focus();
  }, []);
  return ref;
}

/**
 * Focus what answers a press, the first time it is drawn: unless the reader has gone on to something else by then,
 * as a card can fail to be sent long after its button was pressed.
 */
export function useFocusIfStillHere<T extends HTMLElement>(): Held<T> {
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
 * When `step` changes while the focus is inside `root`, focus what `target` gives, so that it never falls to the page.
 * The focus is looked at while rendering: a moment later the focused element is gone.
 */
export function useFocusAcross(
  step: string,
  root: Held<HTMLElement>,
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
