// A critical failure: what is broken, how to fix it, and a retry.
import { problemText, t } from "@sayso/core";
import { isSending, type CardProps } from "../card.ts";
import { Actions, Button } from "../parts/Actions.tsx";
import { Details } from "../parts/Details.tsx";
import { Frame } from "../parts/Frame.tsx";
import { Retrying } from "../parts/Retrying.tsx";
import { Step } from "../parts/Step.tsx";
import type { CriticalFailurePayload } from "../wire.ts";

export function CriticalFailureCard(card: CardProps<CriticalFailurePayload>) {
  const { payload } = card;
  const { retry } = payload;
  const sending = isSending(card.state);
  // If a failed run has no message but its title, show what was reported.
  const title = payload.title || payload.message;
  const isOfRun = retry == null && title === payload.message;
  const reported = isOfRun ? payload.details : null;
  const known = isOfRun && payload.code != null ? problemText(payload.code) : null;
  const steps = known === null ? (payload.resolution_steps ?? []) : [known.text];
  return (
    <Frame card={card} title={known?.title ?? title} lead={isOfRun ? null : payload.message} tone="bad" chip={`✕ ${t("Critical failure")}`}>
      {reported ? <p className="sy-lead sy-text" dir="auto">{reported}</p> : null}
      {steps.length > 0 && (
        <div className="sy-body">
          <h4>{t("What to do")}</h4>
          <ol className="sy-todo">
            {steps.map((step, i) => (
              <li key={i}><Step text={step} /></li>
            ))}
          </ol>
        </div>
      )}
      <Details
        values={{
          ...(payload.details == null || reported ? {} : { [t("What was reported")]: payload.details }),
          ...(payload.code == null ? {} : { [t("Code")]: payload.code }),
          ...(retry == null ? {} : { [t("Tool")]: retry.tool_name, [t("Arguments")]: retry.arguments ?? {} }),
        }}
      />
      {retry != null && (
        <Retrying state={card.state}>
          <Actions>
            <Button
              look="stand"
              sending={sending}
              onPress={() => card.submit({ type: "retry", tool_call_id: retry.tool_call_id })}
            >
              {sending ? t("Sending…") : t("Try again")}
            </Button>
          </Actions>
        </Retrying>
      )}
    </Frame>
  );
}
