// A confirmation before something goes ahead, with all its details.
import { t } from "@sayso/core";
import { answer, type CardProps } from "../card.ts";
import { buttonWords, Decision } from "../parts/Decision.tsx";
import { Frame } from "../parts/Frame.tsx";
import { Warnings } from "../parts/Notice.tsx";
import { Pair, Value } from "../parts/Values.tsx";
import type { ConfirmationPayload } from "../wire.ts";

export function ConfirmationCard(card: CardProps<ConfirmationPayload>) {
  const { payload, meta } = card;
  const words = buttonWords(payload.approval_options);
  const details = payload.details ?? [];
  return (
    <Frame
      card={card}
      title={payload.title}
      lead={payload.message ?? payload.agent_message}
      tone="ask"
      chip={t("Needs your answer")}
      context={payload.context}
    >
      {details.length > 0 && (
        <div className="sy-body">
          <dl className="sy-values">
            {details.map((detail, i) => (
              <Pair key={i} label={detail.label}><Value value={detail.value} /></Pair>
            ))}
          </dl>
        </div>
      )}
      <Warnings impact={payload.impact} />
      <Decision
        card={card}
        approveLabel={words.approve}
        rejectLabel={words.reject}
        reasonRequired={payload.requires_reason ?? false}
        onApprove={() => card.submit(answer(meta, { approved: true }))}
      />
    </Frame>
  );
}
