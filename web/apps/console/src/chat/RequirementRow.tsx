// One requirement: its value, its source, and a control that sets, changes or clears it in place.
import { type JsonValue, messageText, type RequirementField, t } from "@sayso/core";
import { type Field, FieldInput, fieldsOf, inputOf, originWords, readField } from "@sayso/cards";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { describeError } from "../frame/hooks.ts";

interface Props {
  chatId: string;
  field: RequirementField;
  /** The action's title, for the buttons' accessible names. */
  of: string;
}

type Editing =
  | { phase: "reading" }
  | { phase: "writing"; typed: JsonValue; problem: string }
  | { phase: "saving"; typed: JsonValue };

export function RequirementRow({ chatId, field, of }: Props) {
  const control = useMemo(() => controlOf(field), [JSON.stringify(field.schema), field.label, field.question]);
  const [editing, setEditing] = useState<Editing>({ phase: "reading" });
  const isReading = editing.phase === "reading";
  const wasReading = useRef(true);
  const button = useRef<HTMLButtonElement>(null);
  const inputs = useRef(new Map<string, HTMLElement>());
  const isThere = field.text !== "";
  const about = <span className="unseen">: {field.label}, {of}</span>;

  useLayoutEffect(() => {
    if (wasReading.current === isReading) return;
    wasReading.current = isReading;
    if (isReading) button.current?.focus();
    else inputs.current.get(control.path)?.focus();
  }, [isReading]);

  async function change(value: JsonValue) {
    const typed = editing.phase === "reading" ? inputOf(control, value) : editing.typed;
    try {
      // The value arrives over the log, as for everyone else.
      await api.changeRequirement(chatId, field.field, value);
      setEditing({ phase: "reading" });
    } catch (error) {
      const { detail } = describeError(error);
      announce(t("Not sent. {why}", { why: detail }), "assertive");
      setEditing({ phase: "writing", typed, problem: detail });
    }
  }

  /** Handle a press that opens no control: the pressed button may disappear, so move the focus to the one that stays. */
  async function take(value: JsonValue) {
    await change(value);
    button.current?.focus();
  }

  function save(typed: JsonValue) {
    const read = readField(control, typed);
    if (!read.ok) {
      setEditing({ phase: "writing", typed, problem: read.errors[0]?.message ?? "" });
      inputs.current.get(control.path)?.focus();
      return;
    }
    setEditing({ phase: "saving", typed });
    void change(read.value ?? null);
  }

  return (
    <li data-known={isThere}>
      <div className="known-head">
        <span className="known-mark" data-mark={isThere ? "✓" : field.optional ? "○" : "✕"} aria-hidden="true">
          <span className="unseen">{isThere ? "✅" : field.optional ? "" : "❌"}</span>
        </span>
        <p>
          <bdi>{field.label}</bdi>
          {isThere || !field.optional ? ": " : " "}
          {isThere ? <bdi className="known-value">{messageText(field, field.text)}</bdi> : <span className="quiet">{field.optional ? t("(optional)") : t("Not specified")}</span>}
        </p>
        {isReading && (
          <button
            type="button"
            className="link"
            ref={button}
            onClick={() => setEditing({ phase: "writing", typed: inputOf(control, field.value), problem: "" })}
          >
            {isThere ? t("Edit") : t("Add")}
            {about}
          </button>
        )}
      </div>
      {isThere && (field.assumed || field.source !== "") && <p className="quiet"><bdi>{originWords(field)}</bdi></p>}
      {isReading && field.suggested !== null && field.suggested_value != null && (
        <p className="quiet">
          {t("Perhaps {text}, not confirmed.", { text: messageText(field.suggested_said, field.suggested) })}
          <button type="button" className="link" onClick={() => void take(field.suggested_value ?? null)}>
            {t("Use it")}
            {about}
          </button>
        </p>
      )}
      {isReading && !field.known && field.choices.length > 0 && (
        <div className="choices" role="group" aria-label={`${field.label}, ${of}`}>
          {field.choices.map((choice) => (
            <button key={choice} type="button" className="pill" onClick={() => void take(chosen(control, choice))}>
              {choice}
            </button>
          ))}
        </div>
      )}
      {editing.phase !== "reading" && (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (editing.phase === "writing") save(editing.typed);
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape" && editing.phase === "writing") setEditing({ phase: "reading" });
          }}
        >
          <FieldInput
            field={control}
            value={editing.typed}
            errors={new Map(editing.phase === "writing" && editing.problem !== "" ? [[control.path, editing.problem]] : [])}
            inputs={inputs.current}
            onValue={(typed) => setEditing({ phase: "writing", typed, problem: "" })}
          />
          <div className="row">
            <button type="submit" className="button go" aria-disabled={editing.phase === "saving"}>
              {editing.phase === "saving" ? t("Saving…") : t("Save")}
              {about}
            </button>
            <button type="button" className="button" onClick={() => setEditing({ phase: "reading" })}>
              {t("Cancel")}
              {about}
            </button>
            {isThere && !field.assumed && (
              <button type="button" className="button" onClick={() => void change(null)}>
                {t("Clear")}
                {about}
              </button>
            )}
          </div>
        </form>
      )}
    </li>
  );
}

/** Convert the field for the cards' own controls. */
function controlOf(field: RequirementField): Field {
  const schema = { ...field.schema, title: field.label, description: field.why || field.question };
  const [control] = fieldsOf({ type: "object", required: [field.field], properties: { [field.field]: schema } });
  if (control === undefined) throw new Error("a schema of one property has one field");
  return control;
}

function chosen(control: Field, choice: string): JsonValue {
  return control.schema["type"] === "array" ? [choice] : choice;
}
