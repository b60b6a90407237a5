// Nobody can go on before something is mended: what it is, how to mend it, and trying again.
import { problemWords, sentenceWords, t } from "@sayso/core";
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
  // A run's own failure has no other message than its title; then what was reported is what a person has to read.
  const title = payload.title || payload.message;
  const isOfRun = retry == null && title === payload.message;
  const reported = isOfRun ? payload.details : null;
  const known = isOfRun && payload.code != null ? problemWords(payload.code) : null;
  return (
    <Frame card={card} title={known?.title ?? title} lead={isOfRun ? null : payload.message} tone="bad" chip={`✕ ${t("Critical failure")}`}>
      {reported ? <p className="sy-lead sy-text" dir="auto">{reported}</p> : null}
      {steps.length > 0 && (
        <div className="sy-body">
          <h4>{t("What to do")}</h4>
          <ol className="sy-todo">
            {steps.map((step, i) => (
              <li key={i}><bdi>{sentenceWords(step)}</bdi></li>
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
              {sending ? t("Sending…") : t("Try again")}
            </Button>
          </Actions>
        </Taken>
      )}
      <Details
        values={{
          ...(payload.details == null || reported ? {} : { [t("What was reported")]: payload.details }),
          ...(payload.code == null ? {} : { [t("Code")]: payload.code }),
          ...(retry == null ? {} : { [t("Tool")]: retry.tool_name, [t("Arguments")]: retry.arguments ?? {} }),
        }}
      />
    </Frame>
  );
}
