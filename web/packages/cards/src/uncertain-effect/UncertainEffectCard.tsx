// An uncertain effect: it was approved and may already have happened; a person checks and says what is true.
import { t } from "@sayso/core";
import { useRef, useState } from "react";
import { answer, isSending, type CardProps } from "../card.ts";
import { textOf } from "../draft.ts";
import { TextAnswer } from "../options/OptionsCard.tsx";
import { Actions, Button, Dismiss } from "../parts/Actions.tsx";
import { interpolate, PLACEHOLDER } from "../parts/interpolate.tsx";
import { Frame } from "../parts/Frame.tsx";
import { Notice } from "../parts/Notice.tsx";
import { OptionList } from "../parts/OptionList.tsx";
import { Values } from "../parts/Values.tsx";
import { clock } from "../time.ts";
import type { Option, UncertainEffectPayload } from "../wire.ts";

/** Explain the answers whose ids have a fixed meaning. */
function meaningOf(id: string): string | undefined {
  switch (id) {
    case "run_again":
      return t("It did not happen, or it does no harm twice. The tool is called once more.");
    case "mark_done":
      return t("You have checked, and it happened. Nothing is called; the agent gets the result that you give.");
    case "skip":
      return t("Nothing is called. The agent is told that this was left out.");
    default:
      return undefined;
  }
}

const choices = (): Option[] => [
  { id: "run_again", label: t("Run it again") },
  { id: "mark_done", label: t("It was done") },
  { id: "skip", label: t("Skip it") },
];

export function UncertainEffectCard(card: CardProps<UncertainEffectPayload>) {
  const { payload, meta } = card;
  const sending = isSending(card.state);
  const chosen = textOf(card.draft, "selected_option");
  const result = textOf(card.draft, "result");
  const [tried, setTried] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const options = (payload.options ?? choices()).map((option) => {
    const description = option.description ?? meaningOf(option.id);
    const known = choices().find(({ id }) => id === option.id) ?? option;
    return { ...option, label: known.label, ...(description === undefined ? {} : { description }) };
  });

  return (
    <Frame card={card} title={payload.title} lead={payload.agent_message} tone="warn" chip={`▲ ${t("Needs your answer")}`}>
      <Notice tone="warn" word={t("Not known")}>
        {interpolate(whatIsKnown(payload.attempt), <time dateTime={payload.started_at}>{clock(payload.started_at, card.now)}</time>)}
      </Notice>
      <div className="sy-body">
        <h4>{t("What was started: {tool}", { tool: payload.tool_name })}</h4>
        <Values values={payload.tool_params} />
      </div>
      <form
        noValidate
        className="sy-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (sending) return;
          setTried(true);
          if (chosen === "") return first.current?.focus();
          const values = chosen === "mark_done" && result.trim() !== "" ? { result: result.trim() } : undefined;
          card.submit(
            answer(meta, { approved: true, data: { selected_option: chosen, ...(values === undefined ? {} : { values }) } }),
          );
        }}
      >
        <OptionList
          legend={t("How to continue")}
          legendHidden={false}
          options={options}
          chosen={chosen}
          onChoose={(id) => card.setDraft({ selected_option: id })}
          error={tried && chosen === "" ? t("Choose how to continue.") : undefined}
          firstInput={first}
        />
        {chosen === "mark_done" && (
          <TextAnswer
            label={t("What was the result?")}
            isRequired={false}
            error={undefined}
            value={result}
            inputRef={text}
            onValue={(value) => card.setDraft({ result: value })}
          />
        )}
        <Actions>
          <Button look="go" submit sending={sending}>{sending ? t("Sending…") : t("Send answer")}</Button>
          <Dismiss sending={sending} onPress={() => card.submit({ type: "dismiss" })} />
        </Actions>
      </form>
    </Frame>
  );
}

function whatIsKnown(attempt: number): string {
  return attempt > 1
    ? t(
        "This was approved and was started at {at} (attempt {n}), but was interrupted before the result was recorded. It may have run, or not. Look where it would show, then choose how to continue.",
        { at: PLACEHOLDER, n: attempt },
      )
    : t(
        "This was approved and was started at {at}, but was interrupted before the result was recorded. It may have run, or not. Look where it would show, then choose how to continue.",
        { at: PLACEHOLDER },
      );
}
