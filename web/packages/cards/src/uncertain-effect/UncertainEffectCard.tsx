// Something was approved and may already have happened; only a person can find out, so a person says what is true.
import { useRef, useState } from "react";
import { answer, isSending, type CardProps } from "../card.ts";
import { textOf } from "../draft.ts";
import { TextAnswer } from "../options/OptionsCard.tsx";
import { Actions, Button, Dismiss } from "../parts/Actions.tsx";
import { Frame } from "../parts/Frame.tsx";
import { Notice } from "../parts/Notice.tsx";
import { OptionList } from "../parts/OptionList.tsx";
import { Values } from "../parts/Values.tsx";
import { clock } from "../time.ts";
import type { Option, UncertainEffectPayload } from "../wire.ts";

/** What each answer leads to, for those ids that have a fixed meaning. */
const MEANING: Record<string, string> = {
  run_again: "It did not happen, or it does no harm twice. The tool is called once more.",
  mark_done: "You have checked, and it happened. Nothing is called; the agent gets the result that you give.",
  skip: "Nothing is called. The agent is told that this was left out.",
};

const CHOICES: Option[] = [
  { id: "run_again", label: "Run it again" },
  { id: "mark_done", label: "It was done" },
  { id: "skip", label: "Skip it" },
];

export function UncertainEffectCard(card: CardProps<UncertainEffectPayload>) {
  const { payload, meta } = card;
  const sending = isSending(card.state);
  const chosen = textOf(card.draft, "selected_option");
  const result = textOf(card.draft, "result");
  const [tried, setTried] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const options = (payload.options ?? CHOICES).map((option) => {
    const description = option.description ?? MEANING[option.id];
    return description === undefined ? option : { ...option, description };
  });

  return (
    <Frame card={card} title={payload.title} lead={payload.agent_message} tone="warn" chip="▲ Needs your answer">
      <Notice tone="warn" word="Not known">
        This was approved and was started at{" "}
        <time dateTime={payload.started_at}>{clock(payload.started_at, card.now)}</time>
        {payload.attempt > 1 ? ` (attempt ${payload.attempt})` : ""}, but the work broke off before the result could be
        written down. It may have run, or not. Look where it would show, then say how to go on.
      </Notice>
      <div className="sy-body">
        <h4>What was started: {payload.tool_name}</h4>
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
          legend="How to go on"
          legendHidden={false}
          options={options}
          chosen={chosen}
          onChoose={(id) => card.setDraft({ selected_option: id })}
          error={tried && chosen === "" ? "Choose how to go on." : undefined}
          firstInput={first}
        />
        {chosen === "mark_done" && (
          <TextAnswer
            label="What was the result?"
            isRequired={false}
            error={undefined}
            value={result}
            inputRef={text}
            onValue={(value) => card.setDraft({ result: value })}
          />
        )}
        <Actions>
          <Button look="go" submit sending={sending}>{sending ? "Sending…" : "Send answer"}</Button>
          <Dismiss sending={sending} onPress={() => card.submit({ type: "dismiss" })} />
        </Actions>
      </form>
    </Frame>
  );
}
