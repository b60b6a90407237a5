// Nobody can go on before something is mended: what it is, how to mend it, and trying again.
import { isSending, type CardProps } from "../card.ts";
import { Actions, Button } from "../parts/Actions.tsx";
import { Details } from "../parts/Details.tsx";
import { Frame } from "../parts/Frame.tsx";
import { Taken } from "../parts/Taken.tsx";
import type { CriticalFailurePayload } from "../wire.ts";

export function CriticalFailureCard(card: CardProps<CriticalFailurePayload>) {
  const { payload } = card;
  const steps = payload.resolution_steps ?? [];
  const { retry } = payload;
  const sending = isSending(card.state);
  return (
    <Frame card={card} title={payload.title || payload.message} lead={payload.message} tone="bad" chip="✕ Critical failure">
      {steps.length > 0 && (
        <div className="sy-body">
          <h4>What to do</h4>
          <ol className="sy-todo">
            {steps.map((step, i) => (
              <li key={i}><bdi>{step}</bdi></li>
            ))}
          </ol>
        </div>
      )}
      {retry != null && (
        <Taken state={card.state}>
          <Actions>
            <Button
              look="stand"
              sending={sending}
              onPress={() => card.submit({ type: "retry", tool_call_id: retry.tool_call_id })}
            >
              {sending ? "Sending…" : "Try again"}
            </Button>
          </Actions>
        </Taken>
      )}
      <Details
        values={{
          ...(payload.details == null ? {} : { what_was_reported: payload.details }),
          ...(payload.code == null ? {} : { code: payload.code }),
          ...(retry == null ? {} : { tool: retry.tool_name, arguments: retry.arguments ?? {} }),
        }}
      />
    </Frame>
  );
}
