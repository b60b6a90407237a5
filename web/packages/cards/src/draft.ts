// What a person has typed into a card and not sent. It is handed out at each change and may come back from a reload
// or from another device.
import { useEffect, useRef, useState } from "react";
import { hasFocus, type Held } from "./focus.ts";
import type { JsonObject } from "./wire.ts";

/** No echo is later than this many letters. */
const ECHOES_KEPT = 100;

export type PatchDraft = (patch: JsonObject) => void;

/** The draft, how to change it, and whether it was changed here. One from outside is taken over, except while this card is being typed in. */
export function useDraft(
  given: JsonObject | undefined,
  tell: ((draft: JsonObject) => void) | undefined,
  root: Held<HTMLElement>,
): [JsonObject, PatchDraft, boolean] {
  const [draft, setDraft] = useState<JsonObject>(given ?? {});
  const latest = useRef(draft);
  // Our own words come back as echoes, perhaps late; none of them may undo what was typed since.
  const told = useRef(new Set<string>());
  const givenText = given === undefined ? undefined : JSON.stringify(given);

  useEffect(() => {
    if (given === undefined || givenText === undefined) return;
    if (told.current.has(givenText) || givenText === JSON.stringify(latest.current) || hasFocus(root.current)) return;
    latest.current = given;
    setDraft(given);
  }, [givenText]);

  function patch(change: JsonObject): void {
    latest.current = { ...latest.current, ...change };
    told.current.add(JSON.stringify(latest.current));
    if (told.current.size > ECHOES_KEPT) told.current.delete([...told.current][0] ?? "");
    setDraft(latest.current);
    tell?.(latest.current);
  }

  return [draft, patch, told.current.size > 0];
}

/** A text of the draft; empty when it has none. */
export function textOf(draft: JsonObject, name: string): string {
  const value = draft[name];
  return typeof value === "string" ? value : "";
}

/** An object of the draft; empty when it has none. */
export function objectOf(draft: JsonObject, name: string): JsonObject {
  const value = draft[name];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
