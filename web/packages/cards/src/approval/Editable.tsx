// The values under approval, whole; those a person may change turn into inputs, with what was there struck through.
import { t } from "@sayso/core";
import { useRef, useState } from "react";
import { objectOf } from "../draft.ts";
import { FieldInput } from "../schema/FieldInput.tsx";
import { fieldsOf, type Field } from "../schema/fields.ts";
import { inputOf, readField } from "../schema/inputs.ts";
import { Pair, Value } from "../parts/Values.tsx";
import { Was } from "../parts/Changes.tsx";
import type { CardProps } from "../card.ts";
import type { ApprovalPayload, JsonObject, JsonValue } from "../wire.ts";
import { labelOf, plain, same } from "../words.ts";

export interface Group {
  heading: string;
  values: JsonObject;
}

/** What will be written first, then the arguments that are not among it. Nothing under approval is left out. */
export function groupsOf(payload: ApprovalPayload): Group[] {
  const details = payload.entity_details ?? {};
  const rest = Object.fromEntries(
    Object.entries(payload.tool_params).filter(([key, value]) => !(key in details && same(details[key], value))),
  );
  const open = Object.fromEntries(
    editableFields(payload)
      .filter((field) => !(field.name in details) && !(field.name in rest))
      .map((field) => [field.name, null]),
  );
  const groups = [
    { heading: "", values: details },
    { heading: Object.keys(details).length === 0 ? "" : t("Arguments of {tool}", { tool: payload.tool_name }), values: { ...rest, ...open } },
  ];
  return groups.filter((group) => Object.keys(group.values).length > 0);
}

export function editableFields(payload: ApprovalPayload): Field[] {
  if (payload.edit_schema == null) return [];
  // A changed value cannot be nothing: to leave it as it was there is a button.
  return fieldsOf(payload.edit_schema).map((field) => ({ ...field, required: true }));
}

export interface Edits {
  values: JsonObject;
  errors: Map<string, string>;
}

/** What was changed, read from what was typed. A value typed back to what it was is no change. */
export function editsOf(payload: ApprovalPayload, draft: JsonObject): Edits {
  const typed = objectOf(draft, "edits");
  const values: JsonObject = {};
  const errors = new Map<string, string>();
  for (const field of editableFields(payload)) {
    if (!(field.name in typed)) continue;
    const read = readField(field, typed[field.name]);
    if (!read.ok) read.errors.forEach((error) => errors.set(error.path, error.message));
    else if (!same(read.value, originalOf(payload, field.name))) values[field.name] = read.value ?? null;
  }
  return { values, errors };
}

export function originalOf(payload: ApprovalPayload, name: string): JsonValue | undefined {
  return name in payload.tool_params ? payload.tool_params[name] : payload.entity_details?.[name];
}

interface Props {
  card: CardProps<ApprovalPayload>;
  errors: ReadonlyMap<string, string>;
  inputs: Map<string, HTMLElement>;
}

interface AllProps extends Props {
  /** What the card shows in another way. */
  isElsewhere?: (value: JsonValue) => boolean;
}

export function UnderApproval({ card, errors, inputs, isElsewhere = () => false }: AllProps) {
  const fields = new Map(editableFields(card.payload).map((field) => [field.name, field]));
  const placed = new Set<string>();

  /** A value is changed where it stands first; a second showing of it is only that. */
  function fieldFor(key: string, value: JsonValue): Field | undefined {
    const field = fields.get(key);
    if (field === undefined || placed.has(key) || !same(value, originalOf(card.payload, key) ?? null)) return undefined;
    placed.add(key);
    return field;
  }

  function pair(key: string, value: JsonValue) {
    const field = fieldFor(key, value);
    return (
      <Pair key={key} label={fields.get(key)?.label ?? labelOf(key)}>
        {field === undefined ? (
          <Value value={value} />
        ) : (
          <EditableValue card={card} field={field} errors={errors} inputs={inputs} />
        )}
      </Pair>
    );
  }

  return (
    <>
      {groupsOf(card.payload).map(({ heading, values }) => {
        const entries = Object.entries(values).filter(([, value]) => !isElsewhere(value));
        return entries.length === 0 ? null : (
          <div className="sy-body" key={heading}>
            {heading !== "" && <h4>{heading}</h4>}
            <dl className="sy-values">{entries.map(([key, value]) => pair(key, value))}</dl>
          </div>
        );
      })}
    </>
  );
}

/** `words`: how the value reads where it is not shown as it is; empty where there is none yet. */
export function EditableValue({ card, field, errors, inputs, words }: Props & { field: Field; words?: string }) {
  const typed = objectOf(card.draft, "edits");
  const original = originalOf(card.payload, field.name);
  const isOpen = field.name in typed;
  const change = useRef<HTMLButtonElement>(null);
  const [focusNext, setFocusNext] = useState<"nothing" | "input" | "change">("nothing");

  // The element to focus is drawn by the render that follows the press.
  const focused = (element: HTMLElement | null) => {
    if (element === null || focusNext === "nothing") return;
    setFocusNext("nothing");
    if (focusNext === "input") inputs.get(field.path)?.focus();
    else change.current?.focus();
  };

  const read = words ?? plain(original);
  const press = words === "" ? t("Add") : t("Change");
  if (!isOpen) {
    return (
      <span className="sy-editable" ref={focused}>
        {words === "" ? <span className="sy-none">{t("Not specified")}</span> : <Value value={words ?? original} />}
        <button
          type="button"
          className="sy-link"
          ref={change}
          aria-label={`${press}: ${field.label}`}
          onClick={() => {
            setFocusNext("input");
            card.setDraft({ edits: { ...typed, [field.name]: inputOf(field, original) } });
          }}
        >
          {press}
        </button>
      </span>
    );
  }
  const keep = words === "" ? t("Leave it out") : t("Keep {value}", { value: read });
  const isChanged = !same(typed[field.name], inputOf(field, original));
  return (
    <div className="sy-editing" ref={focused}>
      {isChanged && words !== "" && <span className="sy-was"><Was value={words ?? original} /></span>}
      <FieldInput
        field={field}
        value={typed[field.name]}
        errors={errors}
        inputs={inputs}
        labelHidden
        onValue={(value) => card.setDraft({ edits: { ...typed, [field.name]: value } })}
      />
      <button
        type="button"
        className="sy-link"
        aria-label={`${keep}: ${field.label}`}
        onClick={() => {
          const { [field.name]: _, ...others } = typed;
          setFocusNext("change");
          card.setDraft({ edits: others });
        }}
      >
        {keep}
      </button>
    </div>
  );
}
