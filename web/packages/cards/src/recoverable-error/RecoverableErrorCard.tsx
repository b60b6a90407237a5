// A recoverable error: what went wrong, a suggestion, and the input to correct.
import { t } from "@sayso/core";
import { isSending, problemOf, type CardProps } from "../card.ts";
import { objectOf } from "../draft.ts";
import { Actions, Button } from "../parts/Actions.tsx";
import { Details } from "../parts/Details.tsx";
import { Frame } from "../parts/Frame.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Retrying } from "../parts/Retrying.tsx";
import { errorsUnder, SchemaForm } from "../schema/SchemaForm.tsx";
import type { CardAction, RecoverableErrorPayload, Retry } from "../wire.ts";

export function RecoverableErrorCard(card: CardProps<RecoverableErrorPayload>) {
  const { payload } = card;
  const { retry, retry_run } = payload;
  const problem = problemOf(card.state);
  return (
    <Frame
      card={card}
      title={payload.title || payload.message}
      lead={payload.message}
      tone="warn"
      chip={`▲ ${t("Needs a correction")}`}
      problemShown={problem !== undefined && errorsUnder(problem, "arguments").length > 0}
    >
      <Notice tone="warn" word={t("Suggestion")}>{payload.suggestion}</Notice>
      <Details
        values={{
          ...(payload.details == null ? {} : { [t("What was reported")]: payload.details }),
          ...(payload.code == null ? {} : { [t("Code")]: payload.code }),
          ...(retry == null ? {} : { [t("Tool")]: retry.tool_name, [t("Arguments")]: retry.arguments ?? {} }),
        }}
      />
      {retry_run != null && (
        <Retrying state={card.state}>
          <Again card={card} action={{ type: "retry_run", run_id: retry_run }} />
        </Retrying>
      )}
      {retry != null && (
        <Retrying state={card.state}>
          {retry.arguments_schema == null ? (
            <Again card={card} action={{ type: "retry", tool_call_id: retry.tool_call_id }} />
          ) : (
            <CorrectAndTryAgain card={card} retry={retry} schema={retry.arguments_schema} />
          )}
        </Retrying>
      )}
    </Frame>
  );
}

function Again({ card, action }: { card: CardProps<RecoverableErrorPayload>; action: CardAction }) {
  const sending = isSending(card.state);
  return (
    <Actions>
      <Button look="go" sending={sending} onPress={() => card.submit(action)}>
        {sending ? t("Sending…") : t("Try again")}
      </Button>
    </Actions>
  );
}

interface Props {
  card: CardProps<RecoverableErrorPayload>;
  retry: Retry;
}

function CorrectAndTryAgain({ card, retry, schema }: Props & { schema: NonNullable<Retry["arguments_schema"]> }) {
  const sending = isSending(card.state);
  return (
    <div className="sy-body">
      <h4>{t("Correct it and try again")}</h4>
      <SchemaForm
        schema={schema}
        given={retry.arguments ?? {}}
        typed={objectOf(card.draft, "arguments")}
        onTyped={(typed) => card.setDraft({ arguments: typed })}
        onSubmit={(values) => {
          if (!sending) card.submit({ type: "retry", tool_call_id: retry.tool_call_id, arguments: values });
        }}
        problem={problemOf(card.state)}
        problemPath="arguments"
      >
        <Actions>
          <Button look="go" submit sending={sending}>{sending ? t("Sending…") : t("Try again")}</Button>
        </Actions>
      </SchemaForm>
    </div>
  );
}
