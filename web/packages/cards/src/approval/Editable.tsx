// The values under approval, in full; editable ones turn into inputs, with the old value struck through.
import { t } from "@sayso/core";
import { useRef, useState } from "react";
import { objectOf } from "../draft.ts";
import { FieldInput } from "../schema/FieldInput.tsx";
import { fieldsOf, type Field } from "../schema/fields.ts";
import { inputOf, readField } from "../schema/inputs.ts";
import { Pair, Value } from "../parts/Values.tsx";
import { Becomes } from "../parts/Becomes.tsx";
import { Was } from "../parts/Changes.tsx";
import { Difference, hasLines } from "../parts/Difference.tsx";
import type { CardProps } from "../card.ts";
import type { ApprovalPayload, JsonObject, JsonValue } from "../wire.ts";
import { formatted, labelOf, plain, same } from "../words.ts";

export interface Group {
  heading: string;
  values: JsonObject;
}

/** Group the values: the entity first, then the remaining arguments. Nothing under approval is left out. */
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
  // An edited value cannot be empty; a button restores the original.
  return fieldsOf(payload.edit_schema).map((field) => ({ ...field, kind: kindFor(field, originalOf(payload, field.name)), required: true }));
}

/** An input of one line would take the line breaks out of a text that has some. */
function kindFor({ kind }: Field, original: JsonValue | undefined): Field["kind"] {
  return kind.is === "text" && typeof original === "string" && original.includes("\n") ? { is: "long" } : kind;
}

/** Return the text of the inputs: typed here, or before the tool refused the last answer. */
export function typedEdits(payload: ApprovalPayload, draft: JsonObject): JsonObject {
  if ("edits" in draft) return objectOf(draft, "edits");
  const before = payload.typed ?? {};
  return Object.fromEntries(
    editableFields(payload)
      .filter((field) => field.name in before)
      .map((field) => [field.name, inputOf(field, before[field.name])]),
  );
}

export interface Edits {
  values: JsonObject;
  errors: Map<string, string>;
}

/** Parse the edits. A value typed back to the original is no change. */
export function editsOf(payload: ApprovalPayload, draft: JsonObject): Edits {
  const typed = typedEdits(payload, draft);
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
  /** Fields that the card shows elsewhere. */
  isElsewhere?: (value: JsonValue) => boolean;
}

export function UnderApproval({ card, errors, inputs, isElsewhere = () => false }: AllProps) {
  const fields = new Map(editableFields(card.payload).map((field) => [field.name, field]));
  const placed = new Set<string>();

  /** A value is editable where it first appears; later appearances are read-only. */
  function fieldFor(key: string, value: JsonValue): Field | undefined {
    const field = fields.get(key);
    if (field === undefined || placed.has(key) || !same(value, originalOf(card.payload, key) ?? null)) return undefined;
    placed.add(key);
    return field;
  }

  /** How it is read where its schema says so; undefined is as it is. */
  function read(key: string, value: JsonValue): string | undefined {
    const format = card.meta.formats?.[key];
    return format === undefined ? undefined : formatted(value, format);
  }

  const shown = (key: string, value: JsonValue) => read(key, value) ?? value;

  /** What is there now and would be replaced; undefined where the tool tells nothing, or it stays as it is. */
  function wasOf(key: string, value: JsonValue): JsonValue | undefined {
    const was = card.payload.before?.[key];
    return was === undefined || same(was, value) ? undefined : shown(key, was);
  }

  function pair(key: string, value: JsonValue) {
    const field = fieldFor(key, value);
    return (
      <Pair key={key} label={fields.get(key)?.label ?? labelOf(key)}>
        {field === undefined ? (
          <Shown was={wasOf(key, value)} value={shown(key, value)} />
        ) : (
          <EditableValue card={card} field={field} errors={errors} inputs={inputs} words={read(key, value)} was={wasOf(key, value)} />
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

function Shown({ was, value }: { was: JsonValue | undefined; value: JsonValue | undefined }) {
  return was === undefined ? <Value value={value} /> : <Becomes before={was} after={value} />;
}

interface EditableProps extends Props {
  field: Field;
  /** How to display the value, if not verbatim; empty if there is none yet. */
  words?: string | undefined;
  /** What it replaces. */
  was?: JsonValue | undefined;
}

export function EditableValue({ card, field, errors, inputs, words, was }: EditableProps) {
  const typed = typedEdits(card.payload, card.draft);
  const original = originalOf(card.payload, field.name);
  const isOpen = field.name in typed;
  const change = useRef<HTMLButtonElement>(null);
  const [focusNext, setFocusNext] = useState<"nothing" | "input" | "change">("nothing");

  // The element to focus is rendered after the press.
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
        {words === "" ? <span className="sy-none">{t("Not specified")}</span> : <Shown was={was} value={words ?? original} />}
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
  const isLong = hasLines(original, typed[field.name]);
  const isChanged = !same(typed[field.name], inputOf(field, original));
  return (
    <div className="sy-editing" ref={focused}>
      {isChanged && words !== "" && !isLong && <span className="sy-was"><Was value={words ?? original} /></span>}
      <FieldInput
        field={field}
        value={typed[field.name]}
        errors={errors}
        inputs={inputs}
        labelHidden
        onValue={(value) => card.setDraft({ edits: { ...typed, [field.name]: value } })}
      />
      {isChanged && isLong && <Difference before={original} after={typed[field.name]} />}
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
