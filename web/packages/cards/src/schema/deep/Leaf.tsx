// A leaf of a nested form: the same field as in a flat one, keeping what is typed exactly as typed.
import type { FieldProps, RJSFSchema } from "@rjsf/utils";
import { t } from "@sayso/core";
import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { JsonObject, JsonValue } from "../../wire.ts";
import { same } from "../../words.ts";
import { FieldInput } from "../FieldInput.tsx";
import { fieldOf, type Field } from "../fields.ts";
import { inputOf, readField } from "../inputs.ts";

/** Shared by the form with its leaves. */
export interface Leaves {
  root: JsonObject;
  /** Messages by path. */
  errors: ReadonlyMap<string, string>;
  inputs: Map<string, HTMLElement>;
  /** The content of each leaf, as typed. */
  fields: Map<string, { field: Field; input: JsonValue | undefined }>;
}

export const LeavesOfForm = createContext<Leaves | null>(null);

export function Leaf({ schema, formData: given, fieldPathId, name, required, onChange }: FieldProps<unknown, RJSFSchema>) {
  // A form holds only JSON.
  const formData = given as JsonValue | undefined;
  const leaves = useContext(LeavesOfForm);
  const path = fieldPathId.path.join("/");
  const field = fieldOf(nameOf(fieldPathId.path, name), schema as JsonObject, leaves?.root ?? {}, path, required === true);
  const [typed, setTyped] = useState<JsonValue>(() => inputOf(field, formData));
  const reported = useRef<JsonValue | undefined>(formData);

  // An outside change (a default, an entry that moved up) replaces the text; our own echo does not.
  const isNews = !same(reported.current ?? null, formData ?? null);
  const input = isNews ? inputOf(field, formData) : typed;
  useEffect(() => {
    if (!isNews) return;
    reported.current = formData;
    setTyped(inputOf(field, formData));
  });
  useLayoutEffect(() => {
    leaves?.fields.set(path, { field, input });
    return () => {
      leaves?.fields.delete(path);
    };
  });

  if (leaves === null) return null;
  return (
    <FieldInput
      field={field}
      value={input}
      errors={leaves.errors}
      inputs={leaves.inputs}
      onValue={(value) => {
        setTyped(value);
        const read = readField({ ...field, required: false }, value);
        // Pass on unreadable input as typed, so that it is kept and reported as an error.
        reported.current = read.ok ? read.value : value;
        onChange(reported.current, fieldPathId.path);
      }}
    />
  );
}

/** A list entry is labelled with its number. */
function nameOf(path: (string | number)[], name: string): string {
  const last = path.at(-1);
  return typeof last === "number" ? t("Entry {n}", { n: last + 1 }) : name;
}
