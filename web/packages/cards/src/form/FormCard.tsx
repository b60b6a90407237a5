// A form, described by one JSON Schema.
import { t } from "@sayso/core";
import { useMemo } from "react";
import { answer, isSending, problemOf, type CardProps } from "../card.ts";
import { objectOf } from "../draft.ts";
import { Actions, Button, Dismiss } from "../parts/Actions.tsx";
import { Frame } from "../parts/Frame.tsx";
import { fieldsOf, isDeep } from "../schema/fields.ts";
import { errorsUnder, SchemaForm } from "../schema/SchemaForm.tsx";
import { useLastChoice } from "../useLastChoice.ts";
import type { FormPayload } from "../wire.ts";

export function FormCard(card: CardProps<FormPayload>) {
  const { payload, meta } = card;
  const sending = isSending(card.state);
  const problem = problemOf(card.state);
  const offers = useMemo(() => offersChoices(payload), [payload]);
  const last = useLastChoice(card, offers);
  return (
    <Frame
      card={card}
      title={payload.title}
      lead={payload.message ?? payload.agent_message}
      tone="ask"
      chip={t("Needs your answer")}
      context={payload.context}
      problemShown={problem !== undefined && errorsUnder(problem, "values").length > 0}
    >
      <SchemaForm
        schema={payload.response_schema}
        given={payload.values ?? {}}
        last={last}
        typed={objectOf(card.draft, "values")}
        onTyped={(values) => card.setDraft({ values })}
        onSubmit={(values) => {
          if (!sending) card.submit(answer(meta, { approved: true, data: { values } }));
        }}
        problem={problem}
        problemPath="values"
      >
        <Actions>
          <Button look="go" submit sending={sending}>{sending ? t("Sending…") : (payload.submit_label ?? t("Send"))}</Button>
          <Dismiss sending={sending} onPress={() => card.submit({ type: "dismiss" })} />
        </Actions>
      </SchemaForm>
    </Frame>
  );
}

function offersChoices({ response_schema: schema, for_gate }: FormPayload): boolean {
  return for_gate !== true && !isDeep(schema) && fieldsOf(schema).some(({ kind }) => kind.is === "choice");
}
