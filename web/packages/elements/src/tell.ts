// What an element tells the page it stands in: events that leave the shadow root.
import type { Interaction } from "@sayso/core";

export type Tell = ReturnType<typeof tellFrom>;

/** `sayso-settled` carries who decided what; `sayso-chat` the id of a chat that was begun here. */
export function tellFrom(element: HTMLElement) {
  const tell = (name: string, detail: object) =>
    void element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  return {
    settled: ({ interaction_id, chat_id, status, settled_by, response }: Interaction) =>
      tell("sayso-settled", { interaction_id, chat_id, status, settled_by, response }),
    chat: (chat_id: string) => tell("sayso-chat", { chat_id }),
    waiting: (count: number) => tell("sayso-waiting", { count }),
  };
}
