// The keys that work everywhere: Alt+Shift+J goes to the next waiting card, / to where one types, Ctrl+K finds, ? shows the help. All are listed there and can be switched off.
import { useEffect } from "react";
import { choices } from "./choices.ts";

export function shortcutIsOn(): boolean {
  return choices().shortcut;
}

export function useNextCardShortcut(): void {
  useEffect(() => {
    function pressed(event: KeyboardEvent) {
      // `code`, not `key`: Alt changes the letter on many keyboards.
      if (event.code !== "KeyJ" || !event.altKey || !event.shiftKey || event.ctrlKey || event.metaKey) return;
      if (!shortcutIsOn()) return;
      event.preventDefault();
      goToNextCard();
    }
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

/** `?` opens the help. */
export function useHelpShortcut(open: () => void): void {
  useSign("?", open);
}

/** Where one types on a page: its search, else its message box, else the search of the chats. */
const PLACES_TO_TYPE = ["main input[type=search]", ".composer-box textarea", ".rail-search input"];

/** `/` leads to where one types. */
export function useTypeShortcut(): void {
  useSign("/", () => {
    const places = PLACES_TO_TYPE.flatMap((place) => [...document.querySelectorAll<HTMLElement>(place)]);
    places.find((place) => place.checkVisibility?.() !== false)?.focus();
  });
}

/** A sign that is a key, unless it is being typed into a text. */
function useSign(sign: string, act: () => void): void {
  useEffect(() => {
    function pressed(event: KeyboardEvent) {
      if (event.key !== sign || event.ctrlKey || event.metaKey || event.altKey || !shortcutIsOn()) return;
      const at = event.target;
      if (at instanceof Element && at.closest("input, textarea, select, [contenteditable], dialog") !== null) return;
      event.preventDefault();
      act();
    }
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

/** Ctrl+K, or Cmd+K on a Mac, opens the search, wherever one types. */
export function useFindShortcut(open: () => void): void {
  useEffect(() => {
    function pressed(event: KeyboardEvent) {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || !shortcutIsOn()) return;
      event.preventDefault();
      if (document.querySelector("dialog[open]") === null) open();
    }
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

/** Focus the waiting card after the one that holds `from`, else the first; in the page or in an element's shadow root. */
export function goToNextCard(tree: Document | ShadowRoot = document, from: Element | null = tree.activeElement): HTMLElement | undefined {
  const cards = [...tree.querySelectorAll<HTMLElement>("[data-waits]")];
  const here = cards.findIndex((card) => card.contains(from));
  const next = cards[here + 1] ?? cards[0];
  if (next === undefined) return undefined;
  if (next.checkVisibility?.() === false) {
    // It is in a closed panel; the panel's owner listens and opens it.
    next.dispatchEvent(new CustomEvent(REVEAL, { bubbles: true }));
    setTimeout(() => arriveAt(next));
  } else arriveAt(next);
  return next;
}

/** Bubbles from a hidden card that should be revealed. */
export const REVEAL = "sayso:reveal";

function arriveAt(card: HTMLElement): void {
  card.focus({ preventScroll: true });
  // Scroll to its top: a card is read before it is answered.
  card.scrollIntoView({ block: "start" });
}
