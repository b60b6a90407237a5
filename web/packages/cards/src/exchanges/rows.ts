// The rows of an exchanges card: which cells may change, what was changed, and what was decided on each.
//
// Row edits travel as the edited argument they belong to (`rows_argument`: `{"exchanges": [{…}, …]}`), whole, so that
// what is approved is the argument that runs.
import { objectOf, textOf } from "../draft.ts";
import { isObject } from "../state.ts";
import { fieldOf, fieldsOf, type Field } from "../schema/fields.ts";
import { inputOf, readField } from "../schema/inputs.ts";
import type { ExchangesPayload, JsonObject, JsonValue, Row } from "../wire.ts";
import { same } from "../words.ts";

export type Verdict = "open" | "approved" | "left_out";

export interface RowsArgument {
  name: string;
  entries: JsonObject[];
  /** The cells that may change, by column. */
  fields: Map<string, Field>;
}

export function rowsArgument(payload: ExchangesPayload): RowsArgument | null {
  const name = payload.rows_argument;
  const properties = payload.edit_schema?.properties;
  if (name == null || !isObject(properties)) return null;
  const entries = payload.tool_params[name];
  const schema = properties[name];
  if (!isObject(schema) || !isObject(schema.items) || !Array.isArray(entries)) return null;
  if (entries.length !== payload.rows.length || !entries.every(isObject)) return null;
  const editable = new Set(payload.columns.filter((column) => column.editable === true).map((column) => column.key));
  const root = payload.edit_schema ?? schema;
  const fields = fieldsOf(fieldOf(name, schema.items, root, "", true).schema, root)
    .filter((field) => editable.has(field.name))
    .map((field) => [field.name, { ...field, required: true }] as const);
  return { name, entries: entries as JsonObject[], fields: new Map(fields) };
}

export function verdictOf(draft: JsonObject, row: Row): Verdict {
  const said = objectOf(draft, "rows")[row.row_id];
  return said === "approved" || said === "left_out" ? said : "open";
}

export function reasonOf(draft: JsonObject, row: Row): string {
  return textOf(objectOf(draft, "row_reasons"), row.row_id);
}

/** What stands in the input of a cell. */
export function cellInput(draft: JsonObject, row: Row, field: Field): JsonValue | undefined {
  const typed = objectOf(objectOf(draft, "cells"), row.row_id);
  return field.name in typed ? typed[field.name] : inputOf(field, row.values[field.name]);
}

export interface CellEdits {
  /** `edits` of the answer; empty when nothing was changed. */
  edits: JsonObject;
  changed: { row: Row; key: string; before: JsonValue; after: JsonValue }[];
  /** By "row_id/column". */
  errors: Map<string, string>;
}

export function cellEdits(payload: ExchangesPayload, draft: JsonObject): CellEdits {
  const argument = rowsArgument(payload);
  const found: CellEdits = { edits: {}, changed: [], errors: new Map() };
  if (argument === null) return found;
  const entries = argument.entries.map((entry, i) => {
    const row = payload.rows[i];
    if (row === undefined || verdictOf(draft, row) === "left_out") return entry;
    const now = { ...entry };
    for (const [key, field] of argument.fields) {
      const read = readField(field, cellInput(draft, row, field));
      const before = row.values[key] ?? null;
      if (!read.ok) {
        found.errors.set(`${row.row_id}/${key}`, read.errors[0]?.message ?? "");
      } else if (!same(read.value, before)) {
        now[key] = read.value ?? null;
        found.changed.push({ row, key, before, after: read.value ?? null });
      }
    }
    return now;
  });
  if (found.changed.length > 0) found.edits = { [argument.name]: entries };
  return found;
}
