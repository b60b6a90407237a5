// Splits a long conversation into parts of a screen or two. Parts out of sight are skipped by the browser, and only
// a changed part renders again. An entry never changes its part, so that it keeps its DOM element.
import { idOf, type LiveText } from "@sayso/core";
import type { LogEntry } from "./session.ts";

export type Drawn = LogEntry | LiveText;

export interface LogPart {
  key: string;
  entries: readonly Drawn[];
}

/** About the server's page size. */
const MOST_ENTRIES = 60;

export function idOfDrawn(entry: Drawn): string {
  if (!("kind" in entry)) return entry.message_id;
  // The agent names its results, maybe as a message or a call is named.
  return entry.kind === "artifact" ? `artifact:${entry.artifact_id}` : idOf(entry);
}

/** Create the function for one conversation; it remembers its last result. `before` is where the loaded log begins. */
export function createLogParts(): (entries: readonly Drawn[], before: number | null) => readonly LogPart[] {
  const partOf = new Map<string, string>();
  const sizes = new Map<string, number>();
  let parts: readonly LogPart[] = [];

  function put(id: string, part: string) {
    partOf.set(id, part);
    sizes.set(part, (sizes.get(part) ?? 0) + 1);
  }

  function assign(entries: readonly Drawn[], before: number | null) {
    let part: string | null = null;
    let isNew = false;
    const last = entries.findLastIndex((entry) => partOf.has(idOfDrawn(entry)));
    for (const [place, entry] of entries.entries()) {
      const id = idOfDrawn(entry);
      const known = partOf.get(id);
      if (known !== undefined) {
        [part, isNew] = [known, false];
        continue;
      }
      // A waiting card is present long before its neighbours are loaded, so it gets a part of its own.
      const isAlone = before !== null && "kind" in entry && entry.sequence < before;
      const mayJoin = part !== null && (isNew || place > last) && (sizes.get(part) ?? 0) < MOST_ENTRIES;
      if (isAlone) sizes.set(id, MOST_ENTRIES);
      if (part === null || isAlone || !mayJoin) part = id;
      isNew = true;
      put(id, part);
    }
  }

  return (entries, before) => {
    assign(entries, before);
    const known = new Map(parts.map((part) => [part.key, part]));
    const next: { key: string; entries: Drawn[] }[] = [];
    for (const entry of entries) {
      const key = partOf.get(idOfDrawn(entry)) ?? "";
      const current = next.at(-1);
      if (current?.key === key) current.entries.push(entry);
      else next.push({ key, entries: [entry] });
    }
    parts = next.map((part) => {
      const old = known.get(part.key);
      return old !== undefined && isSame(old.entries, part.entries) ? old : part;
    });
    return parts;
  };
}

function isSame(a: readonly Drawn[], b: readonly Drawn[]): boolean {
  return a.length === b.length && a.every((entry, i) => entry === b[i]);
}
