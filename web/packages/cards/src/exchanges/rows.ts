// The rows of an exchanges card: editable cells, edits, and the verdict on each.
//
// Row edits are sent as the complete edited argument (`rows_argument`: `{"exchanges": [{…}, …]}`), so that
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
  /** The editable cells, by column. */
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

/** Return the text of edited cells, by row: typed here, or before the tool refused the last answer. */
export function typedCells(payload: ExchangesPayload, draft: JsonObject): JsonObject {
  if ("cells" in draft) return objectOf(draft, "cells");
  const argument = rowsArgument(payload);
  const before = argument === null ? undefined : payload.typed?.[argument.name];
  if (argument === null || !Array.isArray(before)) return {};
  const cells: JsonObject = {};
  payload.rows.forEach((row, i) => {
    const entry = before[i];
    if (!isObject(entry)) return;
    const changed = [...argument.fields].filter(([key]) => !same(entry[key] ?? null, row.values[key] ?? null));
    if (changed.length > 0) cells[row.row_id] = Object.fromEntries(changed.map(([key, field]) => [key, inputOf(field, entry[key])]));
  });
  return cells;
}

export function verdictOf(draft: JsonObject, row: Row): Verdict {
  const verdict = objectOf(draft, "rows")[row.row_id];
  return verdict === "approved" || verdict === "left_out" ? verdict : "open";
}

export function reasonOf(draft: JsonObject, row: Row): string {
  return textOf(objectOf(draft, "row_reasons"), row.row_id);
}

/** Return the text of a cell's input. */
export function cellInput(cells: JsonObject, row: Row, field: Field): JsonValue | undefined {
  const typed = objectOf(cells, row.row_id);
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
  const cells = typedCells(payload, draft);
  const entries = argument.entries.map((entry, i) => {
    const row = payload.rows[i];
    if (row === undefined || verdictOf(draft, row) === "left_out") return entry;
    const now = { ...entry };
    for (const [key, field] of argument.fields) {
      const read = readField(field, cellInput(cells, row, field));
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
