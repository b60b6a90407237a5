// Alt+Shift+J: to the next card that waits. It has a modifier, stands in the help, and can be switched off.
import { useEffect } from "react";

const SWITCH = "sayso:shortcut";

export function shortcutIsOn(): boolean {
  return localStorage.getItem(SWITCH) !== "off";
}

export function setShortcut(on: boolean): void {
  localStorage.setItem(SWITCH, on ? "on" : "off");
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

/** Focuses the waiting card after the one that has the focus, else the first. */
export function goToNextCard(): boolean {
  const cards = [...document.querySelectorAll<HTMLElement>("[data-waits]")];
  const here = cards.findIndex((card) => card.contains(document.activeElement));
  const next = cards[here + 1] ?? cards[0];
  next?.focus({ preventScroll: true });
  // From its top: a card is read before it is answered.
  next?.scrollIntoView({ block: "start" });
  return next !== undefined;
}
