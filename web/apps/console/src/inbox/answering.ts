// What a card does outside its chat: everything goes out over plain HTTP, and what came of it is read again.
import type { Interaction, SendCardAction } from "@sayso/core";
import { api } from "../browser.ts";
import { forgetUnsent, keepUnsent } from "../unsent.ts";

export interface Answering {
  /** How it stands after something was done to it. */
  onChange: (interaction: Interaction) => void;
  /** From here on it may settle by this person's own hand. */
  onAnswering: (interactionId: string) => void;
}

export function sendFor(interaction: Interaction, { onChange, onAnswering }: Answering): SendCardAction {
  const id = interaction.interaction_id;
  return async (action) => {
    switch (action.type) {
      case "answer":
        onAnswering(id);
        await api.answer(id, action.body);
        forgetUnsent(`interaction:${id}`);
        break;
      case "dismiss":
        onAnswering(id);
        await api.dismiss(id, action.reason);
        break;
      case "extend":
        await api.extend(id, action.seconds, interaction.expires_at ?? undefined);
        break;
      case "retry":
        await api.retry(action.tool_call_id, action.arguments);
        break;
      case "compose":
        // There is no composer here; the words wait in the one of its chat.
        keepUnsent(`chat:${interaction.chat_id}`, { text: action.text });
        return;
    }
    onChange(await api.interaction(id));
  };
}
