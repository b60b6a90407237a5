// Who looks at this page: asked before anything is drawn, since words typed here before are shown to nobody else.
import { Problem } from "@sayso/core";
import { api } from "./browser.ts";
import { belongTo } from "./unsent.ts";

export interface Session {
  person: string;
  role: string;
}

/** Who was here last: with the server away, nobody else can have come. */
const LAST = "sayso:person";

let known: Session | null = null;

export async function whoIsThere(): Promise<void> {
  try {
    known = await api.session();
    belongTo(known.person);
    keep(known.person);
  } catch (error) {
    known = null;
    belongTo(error instanceof Problem && error.document.status === 401 ? "" : last());
  }
}

/** As the page learned it when it asked who is there, else asked now. */
export function session(): Promise<Session> {
  return known === null ? api.session() : Promise.resolve(known);
}

function keep(who: string): void {
  try {
    localStorage.setItem(LAST, who);
  } catch {
    // Then nothing that is typed is kept either.
  }
}

function last(): string {
  try {
    return localStorage.getItem(LAST) ?? "";
  } catch {
    return "";
  }
}
