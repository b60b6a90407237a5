// The events an element dispatches to its page; they leave the shadow root.
import type { Interaction } from "@sayso/core";

export type Emit = ReturnType<typeof emitFrom>;

/** `sayso-settled` carries who decided what; `sayso-chat` the id of a chat that was started here. */
export function emitFrom(element: HTMLElement) {
  const emit = (name: string, detail: object) =>
    void element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  return {
    settled: ({ interaction_id, chat_id, status, settled_by, response }: Interaction) =>
      emit("sayso-settled", { interaction_id, chat_id, status, settled_by, response }),
    chat: (chat_id: string) => emit("sayso-chat", { chat_id }),
    waiting: (count: number) => emit("sayso-waiting", { count }),
  };
}
