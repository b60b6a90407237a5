// What open apps have noted for the agent (`ui/update-model-context`): the last of each goes with the person's next message,
// who sees it and can take it away.
import type { JsonObject } from "@sayso/core";

export interface Note {
  callId: string;
  name: string;
  text: string;
}

export type Notes = ReturnType<typeof createNotes>;

export function createNotes() {
  let notes: readonly Note[] = [];
  const listeners = new Set<() => void>();
  const set = (next: readonly Note[]) => {
    notes = next;
    for (const listener of listeners) listener();
  };
  return {
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    getSnapshot: () => notes,
    /** Replace what this app has noted; an empty text takes it away. */
    put(note: Note): void {
      const others = notes.filter(({ callId }) => callId !== note.callId);
      set(note.text === "" ? others : [...others, note]);
    },
    remove: (callId: string) => set(notes.filter((note) => note.callId !== callId)),
    /** As a message carries them. */
    context(): JsonObject | undefined {
      return notes.length === 0 ? undefined : { tool_ui: notes.map(({ name, text }) => ({ name, text })) };
    },
    clear: () => set([]),
  };
}
