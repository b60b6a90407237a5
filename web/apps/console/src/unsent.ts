// Words a person has typed and not sent: kept in this browser until they are sent, or a month has passed. They are one
// person's: whoever else uses this browser does not find them.
import type { JsonObject } from "@sayso/core";

const PREFIX = "sayso:unsent:";
const KEEP_MILLISECONDS = 30 * 24 * 3600 * 1000;

interface Kept {
  at: number;
  content: JsonObject;
  /** The server has it too, so what it says of another device is newer. */
  told?: boolean;
}

export type UnsentOf = `chat:${string}` | `interaction:${string}` | `artifact:${string}`;

let person = "";

/** Whose words these are from now on; nobody's are found before. */
export function belongTo(who: string): void {
  person = who;
}

export function unsent(of: UnsentOf): JsonObject | undefined {
  return read(keyOf(of))?.content;
}

/** What was typed here and stands nowhere else. */
export function unsaid(of: UnsentOf): JsonObject | undefined {
  const kept = read(keyOf(of));
  return kept?.told === true ? undefined : kept?.content;
}

export function keepUnsent(of: UnsentOf, content: JsonObject): void {
  write(keyOf(of), { at: Date.now(), content });
}

/** The server has these words now; if others were typed since, it does not have those. */
export function wasTold(of: UnsentOf, content: JsonObject): void {
  const kept = read(keyOf(of));
  if (kept !== undefined && JSON.stringify(kept.content) === JSON.stringify(content)) write(keyOf(of), { ...kept, told: true });
}

export function forgetUnsent(of: UnsentOf): void {
  try {
    localStorage.removeItem(keyOf(of));
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

function keyOf(of: UnsentOf): string {
  return `${PREFIX}${encodeURIComponent(person)}:${of}`;
}

function write(key: string, kept: Kept): void {
  try {
    localStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // A full or forbidden store: the words are still on the page.
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
