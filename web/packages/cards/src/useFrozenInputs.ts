// Freezes the inputs of a card while its answer is being sent, without losing the focus.
import { useLayoutEffect } from "react";
import type { MutableRef } from "./focus.ts";

const TEXT_INPUTS = "input:not([type=radio], [type=checkbox]), textarea";
const CHOICE_INPUTS = "input[type=radio], input[type=checkbox], select";

/** Make all inputs under `root` read-only. Not `disabled`, since a disabled input loses the focus. */
export function useFrozenInputs(root: MutableRef<HTMLElement>, isFrozen: boolean): void {
  useLayoutEffect(() => {
    const card = root.current;
    if (!isFrozen || card === null) return;
    const written = [...card.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(TEXT_INPUTS)].filter((input) => !input.readOnly);
    const chosen = [...card.querySelectorAll(CHOICE_INPUTS)];
    for (const input of written) input.readOnly = true;
    for (const input of chosen) input.setAttribute("aria-disabled", "true");
    const refuse = (event: Event): void => {
      if (event.target instanceof Element && isChoice(event) && event.target.closest(`${CHOICE_INPUTS}, label`) !== null) event.preventDefault();
    };
    const events = ["click", "mousedown", "keydown"] as const;
    for (const type of events) card.addEventListener(type, refuse, true);
    return () => {
      for (const input of written) input.readOnly = false;
      for (const input of chosen) input.removeAttribute("aria-disabled");
      for (const type of events) card.removeEventListener(type, refuse, true);
    };
  }, [isFrozen]);
}

/** Whether the event would change a choice; Tab and shortcuts still work. */
function isChoice(event: Event): boolean {
  if (!(event instanceof KeyboardEvent)) return true;
  return event.key !== "Tab" && !event.altKey && !event.ctrlKey && !event.metaKey;
}
