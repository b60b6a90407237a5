// The current person: loaded before anything is drawn, since drafts are shown to their author only.
import { Problem } from "@sayso/core";
import { api } from "./browser.ts";
import { setDraftOwner } from "./draftStorage.ts";

export interface Session {
  person: string;
  role: string;
}

/** The last person: while the server is unreachable nobody else can have signed in. */
const LAST = "sayso:person";

let known: Session | null = null;

export async function loadSession(): Promise<void> {
  try {
    known = await api.session();
    setDraftOwner(known.person);
    keep(known.person);
  } catch (error) {
    known = null;
    setDraftOwner(error instanceof Problem && error.document.status === 401 ? "" : last());
  }
}

/** Return the session loaded at start-up, else load it now. */
export function session(): Promise<Session> {
  return known === null ? api.session() : Promise.resolve(known);
}

function keep(who: string): void {
  try {
    localStorage.setItem(LAST, who);
  } catch {
    // Without storage no draft is kept either.
  }
}

function last(): string {
  try {
    return localStorage.getItem(LAST) ?? "";
  } catch {
    return "";
  }
}
