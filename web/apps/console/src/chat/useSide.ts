// The panel beside a chat: where both do not fit they take turns. Who was led into it comes back on Escape.
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from "react";
import { REVEAL } from "../frame/nextCard.ts";
import { treeOf } from "./useScroll.ts";

export interface Side {
  isOpen: boolean;
  open: () => void;
  /** Back to the chat, and to what led into the panel. */
  leave: () => void;
  /** Open the panel at the element with this id. */
  goTo: (id: string) => void;
  /** For the panel itself. */
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

export function useSide(place: { readonly current: HTMLElement | null }): Side {
  const [isOpen, setOpen] = useState(false);
  const cameFrom = useRef<HTMLElement | null>(null);
  useReveal(place, setOpen);

  const goTo = useCallback((id: string) => {
    const tree = treeOf(place.current);
    cameFrom.current = tree.activeElement as HTMLElement | null;
    setOpen(true);
    // After the panel has rendered.
    setTimeout(() => focusOnceThere(tree, id));
  }, []);

  function leave() {
    setOpen(false);
    const back = cameFrom.current;
    cameFrom.current = null;
    // After the chat is shown again.
    setTimeout(() => back?.focus());
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.key === "Escape" && !event.defaultPrevented && cameFrom.current !== null) leave();
  }

  return { isOpen, open: () => setOpen(true), leave, goTo, onKeyDown };
}

/** Focus what has this id. While it still loads its panel has the focus, and hands it on if it has it still. */
function focusOnceThere(tree: Document | ShadowRoot, id: string): void {
  const side = tree.getElementById("side");
  const found = tree.getElementById(id);
  (found ?? side)?.focus();
  if (found || !side) return;
  const watch = new MutationObserver(() => {
    const loaded = tree.getElementById(id);
    if (!loaded && tree.activeElement === side) return;
    watch.disconnect();
    if (tree.activeElement === side) loaded?.focus();
  });
  watch.observe(side, { childList: true, subtree: true });
}

/** Show the one of the two that contains the card. */
function useReveal(place: { readonly current: HTMLElement | null }, openSide: (isOpen: boolean) => void): void {
  useEffect(() => {
    const reveal = ({ target }: Event) => openSide((target as Element).closest(".side") !== null);
    const element = place.current;
    element?.addEventListener(REVEAL, reveal);
    return () => element?.removeEventListener(REVEAL, reveal);
  });
}
