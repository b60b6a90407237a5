// The draft of a card: what was typed and not sent. Reported on every change; it may come back after a reload
// or from another device.
import { useEffect, useRef, useState } from "react";
import { hasFocus, type MutableRef } from "./focus.ts";
import type { JsonObject } from "./wire.ts";

/** No echo lags behind by more changes than this. */
const ECHOES_KEPT = 100;

export type PatchDraft = (patch: JsonObject) => void;

/** Return the draft, a function to patch it, and whether it was changed here. A draft from outside is adopted, except while this card has the focus. */
export function useDraft(
  given: JsonObject | undefined,
  onChange: ((draft: JsonObject) => void) | undefined,
  root: MutableRef<HTMLElement>,
): [JsonObject, PatchDraft, boolean] {
  const [draft, setDraft] = useState<JsonObject>(given ?? {});
  const latest = useRef(draft);
  // Our own changes come back as echoes, perhaps late; they must not undo what was typed since.
  const echoes = useRef(new Set<string>());
  const givenText = given === undefined ? undefined : JSON.stringify(given);

  useEffect(() => {
    if (given === undefined || givenText === undefined) return;
    if (echoes.current.has(givenText) || givenText === JSON.stringify(latest.current) || hasFocus(root.current)) return;
    latest.current = given;
    setDraft(given);
  }, [givenText]);

  function patch(change: JsonObject): void {
    latest.current = { ...latest.current, ...change };
    echoes.current.add(JSON.stringify(latest.current));
    if (echoes.current.size > ECHOES_KEPT) echoes.current.delete([...echoes.current][0] ?? "");
    setDraft(latest.current);
    onChange?.(latest.current);
  }

  return [draft, patch, echoes.current.size > 0];
}

/** Return a text of the draft, or an empty string. */
export function textOf(draft: JsonObject, name: string): string {
  const value = draft[name];
  return typeof value === "string" ? value : "";
}

/** Return an object of the draft, or an empty one. */
export function objectOf(draft: JsonObject, name: string): JsonObject {
  const value = draft[name];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
