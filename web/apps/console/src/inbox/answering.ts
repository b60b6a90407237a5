// Sends a card's actions outside its chat: over plain HTTP, reading the interaction again afterwards.
import { type Interaction, Problem, type SendCardAction } from "@sayso/core";
import { api } from "../browser.ts";
import { removeDraft, saveDraft } from "../draftStorage.ts";

export interface Answering {
  /** Called with the interaction after an action. */
  onChange: (interaction: Interaction) => void;
  /** Called before an answer is sent, so that its settlement is not announced. */
  onAnswering: (interactionId: string) => void;
}

export function sendFor(interaction: Interaction, { onChange, onAnswering }: Answering): SendCardAction {
  const id = interaction.interaction_id;

  /** If the card was revised meanwhile, show the newest revision and keep the draft. */
  async function asItIsNow(refused: unknown): Promise<never> {
    if (refused instanceof Problem && refused.code === "stale_digest") onChange(await api.interaction(id));
    throw refused;
  }

  return async (action) => {
    switch (action.type) {
      case "answer":
        onAnswering(id);
        await api.answer(id, action.body).catch(asItIsNow);
        removeDraft(`interaction:${id}`);
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
      case "retry_run":
        await api.retryRun(action.run_id);
        break;
      case "compose":
        // There is no composer here; save the text as a draft of the chat's composer.
        saveDraft(`chat:${interaction.chat_id}`, { text: action.text });
        return;
    }
    onChange(await api.interaction(id));
  };
}
