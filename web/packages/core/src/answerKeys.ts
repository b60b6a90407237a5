// One key per answer: the same words sent twice are one answer, other words are another.
import type { Answer } from "./actions.ts";

/** The key under which a body was first sent for an interaction, for as long as it is not known to have arrived. */
export function createAnswerKeys(uuid: () => string) {
  const open = new Map<string, { body: string; key: string }>();
  return {
    keyFor(interactionId: string, body: Answer): string {
      const text = JSON.stringify(body);
      const known = open.get(interactionId);
      if (known?.body === text) return known.key;
      const key = uuid();
      open.set(interactionId, { body: text, key });
      return key;
    },
    forget: (interactionId: string): void => void open.delete(interactionId),
  };
}
