// A notice from outside: it asks nothing, and is done when it was shown. The button is for where
// telling so failed, and for who sees what is meant for somebody else.
import { t } from "@sayso/core";
import { useState } from "react";
import { answer, type CardProps, isSending, problemOf } from "../card.ts";
import { Actions, Button } from "../parts/Actions.tsx";
import { Frame } from "../parts/Frame.tsx";
import { useShown } from "../useShown.ts";
import type { OptionsPayload } from "../wire.ts";

export function NoticeCard(card: CardProps<OptionsPayload>) {
  const { payload, meta } = card;
  const [isPressed, setPressed] = useState(false);
  const sending = isSending(card.state);
  const isForMe = meta.assignees.length === 0 || (card.me !== undefined && meta.assignees.includes(card.me));
  const seen = () => card.submit(answer(meta, { approved: true, data: { selected_option: payload.options[0]?.id ?? "" } }));
  // Its end is watched: whoever has that in view has had the rest.
  const end = useShown<HTMLDivElement>(`${card.tool.event_id} ${meta.digest ?? ""}`, () => isForMe && seen());
  // What nobody pressed nobody is told of.
  const calm = isPressed ? card : { ...card, state: { phase: "editing" } as const };
  return (
    <Frame card={calm} title={payload.question || payload.title} lead={payload.agent_message} tone="calm" context={payload.context}>
      {(!isForMe || isPressed || problemOf(card.state) !== undefined) && (
        <Actions>
          <Button
            look="stand"
            sending={sending}
            onPress={() => {
              setPressed(true);
              seen();
            }}
          >
            {t("Seen")}
          </Button>
        </Actions>
      )}
      <div ref={end} />
    </Frame>
  );
}
