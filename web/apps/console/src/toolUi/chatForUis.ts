// What the chat around a tool's own UI lets it do.
import type { Notes } from "./notes.ts";

/** What an app may do in its chat, once its person agrees. */
export interface ChatForUis {
  me: string | undefined;
  notes: Notes;
  /** Send this in the person's name. */
  say: (words: string) => Promise<unknown>;
  /** Put this into what the person is writing. */
  edit: (words: string) => void;
}
