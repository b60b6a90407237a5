// While an answer is on its way nothing in its card can be changed, and nothing loses the focus either.
import { useLayoutEffect } from "react";
import type { Held } from "./focus.ts";

const WRITTEN = "input:not([type=radio], [type=checkbox]), textarea";
const CHOSEN = "input[type=radio], input[type=checkbox], select";

/** Holds all inputs under `root` still; a disabled one would drop the focus, so none is disabled. */
export function useHeldStill(root: Held<HTMLElement>, still: boolean): void {
  useLayoutEffect(() => {
    const card = root.current;
    if (!still || card === null) return;
    const written = [...card.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(WRITTEN)].filter((input) => !input.readOnly);
    const chosen = [...card.querySelectorAll(CHOSEN)];
    for (const input of written) input.readOnly = true;
    for (const input of chosen) input.setAttribute("aria-disabled", "true");
    const refuse = (event: Event): void => {
      if (event.target instanceof Element && isChoice(event) && event.target.closest(`${CHOSEN}, label`) !== null) event.preventDefault();
    };
    const events = ["click", "mousedown", "keydown"] as const;
    for (const type of events) card.addEventListener(type, refuse, true);
    return () => {
      for (const input of written) input.readOnly = false;
      for (const input of chosen) input.removeAttribute("aria-disabled");
      for (const type of events) card.removeEventListener(type, refuse, true);
    };
  }, [still]);
}

/** A press that would choose; Tab and shortcuts go on. */
function isChoice(event: Event): boolean {
  if (!(event instanceof KeyboardEvent)) return true;
  return event.key !== "Tab" && !event.altKey && !event.ctrlKey && !event.metaKey;
}
