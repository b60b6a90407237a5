// Words a person has typed and not sent: kept in this browser until they are sent, or a month has passed.
import type { JsonObject } from "@sayso/core";

const PREFIX = "sayso:unsent:";
const KEEP_MILLISECONDS = 30 * 24 * 3600 * 1000;

interface Kept {
  at: number;
  content: JsonObject;
}

export type UnsentOf = `chat:${string}` | `interaction:${string}` | `artifact:${string}`;

export function unsent(of: UnsentOf): JsonObject | undefined {
  return read(PREFIX + of)?.content;
}

export function keepUnsent(of: UnsentOf, content: JsonObject): void {
  try {
    localStorage.setItem(PREFIX + of, JSON.stringify({ at: Date.now(), content } satisfies Kept));
  } catch {
    // A full or forbidden store: the words are still on the page.
  }
}

export function forgetUnsent(of: UnsentOf): void {
  try {
    localStorage.removeItem(PREFIX + of);
  } catch {
    // Nothing was kept, then.
  }
}

/** Once per visit: what nobody came back for is let go. */
export function forgetOld(now: number): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(PREFIX) && now - (read(key)?.at ?? 0) > KEEP_MILLISECONDS) localStorage.removeItem(key);
    }
  } catch {
    // Nothing to look through.
  }
}

function read(key: string): Kept | undefined {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as Kept);
  } catch {
    return undefined;
  }
}
