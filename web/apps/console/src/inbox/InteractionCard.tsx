// One interaction outside its chat: the same card, answered in place over plain HTTP.
import { type Interaction, messageOf, type SendCardAction } from "@sayso/core";
import { CardView } from "@sayso/cards";
import { useMemo } from "react";
import { api } from "../browser.ts";
import { messages as texts } from "../messages.ts";
import { forgetUnsent, keepUnsent, unsent } from "../unsent.ts";

interface Props {
  interaction: Interaction;
  now: Date;
  me: string | undefined;
  /** How it stands after something was done to it. */
  onChange: (interaction: Interaction) => void;
  onAnswering: (interactionId: string) => void;
}

export function InteractionCard({ interaction, now, me, onChange, onAnswering }: Props) {
  const id = interaction.interaction_id;
  const message = useMemo(() => messageOf(interaction), [interaction]);
  const send: SendCardAction = async (action) => {
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
  return (
    <div
      className="card-slot"
      id={`card-${id}`}
      tabIndex={-1}
      role="group"
      aria-label={interaction.title || texts.inbox.from(interaction.agent_name)}
      {...(interaction.status === "pending" ? { "data-waits": "" } : {})}
    >
      <CardView
        message={message}
        send={send}
        draft={unsent(`interaction:${id}`)}
        onDraft={(draft) => keepUnsent(`interaction:${id}`, draft)}
        now={now}
        me={me}
      />
    </div>
  );
}
