// One idempotency key per answer: the same body sent twice is one answer, another body is another.
import type { Answer } from "./actions.ts";

/** Return the key of an answer: the same for the same body until it is known to have arrived. */
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
