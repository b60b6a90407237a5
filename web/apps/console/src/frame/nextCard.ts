// Alt+Shift+J: to the next card that waits. It has a modifier, stands in the help, and can be switched off.
import { useEffect } from "react";
import { choices } from "./choices.ts";

export function shortcutIsOn(): boolean {
  return choices().shortcut;
}

export function useNextCardShortcut(): void {
  useEffect(() => {
    function pressed(event: KeyboardEvent) {
      // `code`, since Alt changes what many keyboards make of the letter.
      if (event.code !== "KeyJ" || !event.altKey || !event.shiftKey || event.ctrlKey || event.metaKey) return;
      if (!shortcutIsOn()) return;
      event.preventDefault();
      goToNextCard();
    }
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

/** Focuses the waiting card after the one that has the focus, else the first; in the page, or in the tree of an element. */
export function goToNextCard(tree: Document | ShadowRoot = document): boolean {
  const cards = [...tree.querySelectorAll<HTMLElement>("[data-waits]")];
  const here = cards.findIndex((card) => card.contains(tree.activeElement));
  const next = cards[here + 1] ?? cards[0];
  if (next === undefined) return false;
  if (next.checkVisibility?.() === false) {
    // It stands in a panel that is closed now; whoever drew that opens it.
    next.dispatchEvent(new CustomEvent(REVEAL, { bubbles: true }));
    setTimeout(() => arriveAt(next));
  } else arriveAt(next);
  return true;
}

/** Bubbles from a card that is to be seen and is not. */
export const REVEAL = "sayso:reveal";

function arriveAt(card: HTMLElement): void {
  card.focus({ preventScroll: true });
  // From its top: a card is read before it is answered.
  card.scrollIntoView({ block: "start" });
}
