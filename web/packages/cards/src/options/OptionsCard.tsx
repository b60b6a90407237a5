// A question: one of several options, or free text if there are none.
import { t } from "@sayso/core";
import { useId, useRef, useState } from "react";
import { answer, isSending, type CardProps } from "../card.ts";
import { textOf } from "../draft.ts";
import { Actions, Button, Dismiss } from "../parts/Actions.tsx";
import { Frame } from "../parts/Frame.tsx";
import { OptionList } from "../parts/OptionList.tsx";
import { useLastChoice } from "../useLastChoice.ts";
import type { Option, OptionsPayload } from "../wire.ts";

export function OptionsCard(card: CardProps<OptionsPayload>) {
  const { payload, meta } = card;
  const options = payload.options ?? [];
  const isFree = options.length === 0;
  const title = payload.question || payload.title;
  const sending = isSending(card.state);
  const last = textOf(useLastChoice(card, !isFree), "selected_option");
  const chosen = textOf(card.draft, "selected_option") || last;
  const notes = textOf(card.draft, "additional_notes");
  const [tried, setTried] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const missing = isFree ? notes.trim() === "" : !options.some((option) => option.id === chosen);

  function send(): void {
    setTried(true);
    if (missing) (isFree ? text.current : input.current)?.focus();
    else card.submit(answer(meta, { approved: true, data: { selected_option: isFree ? "" : chosen, additional_notes: notes.trim() } }));
  }

  return (
    <Frame card={card} title={title} lead={payload.agent_message} tone="ask" chip={t("Needs your answer")} context={payload.context}>
      <form
        noValidate
        className="sy-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!sending) send();
        }}
      >
        {!isFree && (
          <OptionList
            legend={title}
            legendHidden
            options={options}
            chosen={chosen}
            last={last}
            onChoose={(id) => card.setDraft({ selected_option: id })}
            error={tried && missing ? t("Choose one.") : undefined}
            firstInput={input}
          />
        )}
        {(isFree || payload.allow_notes !== false) && (
          <TextAnswer
            label={isFree ? t("Your answer") : t("Notes")}
            isRequired={isFree}
            error={isFree && tried && missing ? t("Write an answer.") : undefined}
            value={notes}
            inputRef={text}
            onValue={(value) => card.setDraft({ additional_notes: value })}
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

interface TextProps {
  label: string;
  isRequired: boolean;
  error: string | undefined;
  value: string;
  inputRef: { current: HTMLTextAreaElement | null };
  onValue: (value: string) => void;
}

export function TextAnswer({ label, isRequired, error, value, inputRef, onValue }: TextProps) {
  const id = useId();
  return (
    <div className="sy-field">
      <label className="sy-label" htmlFor={id}>
        {label}<span className="sy-must"> {isRequired ? t("(required)") : t("(optional)")}</span>
      </label>
      {error !== undefined && <p className="sy-error" id={`${id}-error`}>{error}</p>}
      <textarea
        id={id}
        className="sy-input"
        dir="auto"
        rows={isRequired ? 3 : 2}
        value={value}
        ref={inputRef}
        aria-required={isRequired}
        aria-invalid={error !== undefined}
        {...(error === undefined ? {} : { "aria-describedby": `${id}-error` })}
        onChange={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  );
}

/** Read options as a tool may write them: objects or plain strings. */
export function optionsOf(value: unknown): Option[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry): Option[] => {
    if (typeof entry === "string") return [{ id: entry, label: entry }];
    if (typeof entry !== "object" || entry === null || typeof entry.id !== "string") return [];
    const option: Option = { id: entry.id, label: typeof entry.label === "string" ? entry.label : entry.id };
    if (typeof entry.description === "string") option.description = entry.description;
    return [option];
  });
}
