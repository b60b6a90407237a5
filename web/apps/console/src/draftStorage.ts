// Drafts: what a person typed and did not send, kept in this browser until sent or for a month. Drafts belong to one
// person: others who use this browser do not see them.
import type { JsonObject } from "@sayso/core";

const PREFIX = "sayso:unsent:";
const KEEP_MILLISECONDS = 30 * 24 * 3600 * 1000;

interface Kept {
  at: number;
  content: JsonObject;
  /** The server has it too, so a draft from another device is newer. (The stored key is older than this file's names.) */
  told?: boolean;
}

export type DraftKey = `chat:${string}` | `interaction:${string}` | `artifact:${string}`;

let person = "";

/** Set whose drafts are read and written; none are found before. */
export function setDraftOwner(who: string): void {
  person = who;
}

export function readDraft(of: DraftKey): JsonObject | undefined {
  return read(keyOf(of))?.content;
}

/** Return a draft that the server does not have. */
export function readUnsyncedDraft(of: DraftKey): JsonObject | undefined {
  const kept = read(keyOf(of));
  return kept?.told === true ? undefined : kept?.content;
}

export function saveDraft(of: DraftKey, content: JsonObject): void {
  write(keyOf(of), { at: Date.now(), content });
}

/** Mark a draft as stored on the server, unless it was changed since. */
export function markDraftSynced(of: DraftKey, content: JsonObject): void {
  const kept = read(keyOf(of));
  if (kept !== undefined && JSON.stringify(kept.content) === JSON.stringify(content)) write(keyOf(of), { ...kept, told: true });
}

export function removeDraft(of: DraftKey): void {
  try {
    localStorage.removeItem(keyOf(of));
  } catch {
    // Storage is unavailable, so nothing was kept.
  }
}

/** Remove expired drafts, once per visit. */
export function removeOldDrafts(now: number): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(PREFIX) && now - (read(key)?.at ?? 0) > KEEP_MILLISECONDS) localStorage.removeItem(key);
    }
  } catch {
    // Storage is unavailable.
  }
}

function keyOf(of: DraftKey): string {
  return `${PREFIX}${encodeURIComponent(person)}:${of}`;
}

function write(key: string, kept: Kept): void {
  try {
    localStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // Storage is full or forbidden: the text is still on the page.
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
