// Reads a flat JSON Schema as form fields and determines the kind of each.
import { t } from "@sayso/core";
import { isObject } from "../state.ts";
import type { JsonObject, JsonValue } from "../wire.ts";
import { labelOf } from "../words.ts";

export interface Choice {
  value: JsonValue;
  label: string;
}

export type FieldKind =
  | { is: "text"; input: "text" | "email" | "url" | "date" | "datetime-local" | "time" }
  | { is: "long" }
  | { is: "number"; integer: boolean }
  | { is: "boolean" }
  /** A count of one unit, typed as `{count, unit}`, sent as ISO 8601. */
  | { is: "duration" }
  | { is: "choice"; choices: Choice[] }
  | { is: "choices"; choices: Choice[] }
  | { is: "lines"; of: "string" | "number" | "integer" }
  | { is: "group"; fields: Field[] }
  /** Nested deeper than this form supports: edited as JSON rather than left out. */
  | { is: "json" };

export interface Field {
  name: string;
  /** Names joined by slashes, as in a problem's `errors`. */
  path: string;
  label: string;
  help: string;
  required: boolean;
  kind: FieldKind;
  schema: JsonObject;
}

/** Return the fields of an object schema, in its own order. */
export function fieldsOf(schema: JsonObject, root: JsonObject = schema, at = "", depth = 0): Field[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, raw]) => {
    const path = at === "" ? name : `${at}/${name}`;
    return fieldOf(name, isObject(raw) ? raw : {}, root, path, required.includes(name), depth);
  });
}

/** Build one field from its schema; references are resolved in `root`. */
export function fieldOf(name: string, raw: JsonObject, root: JsonObject, path: string, required: boolean, depth = 0): Field {
  const schema = resolved(raw, rootOf(raw, root));
  return {
    name,
    path,
    label: labelFor(name, schema.title),
    help: typeof schema.description === "string" ? schema.description : "",
    required,
    kind: kindOf(schema, rootOf(raw, root), path, depth),
    schema,
  };
}

/** Return the schema's title, unless Pydantic generated it from the name ("Order Id"). */
function labelFor(name: string, title: unknown): string {
  const own = labelOf(name);
  const made = own.replace(/(^|\s)\p{L}/gu, (start) => start.toUpperCase());
  return typeof title === "string" && title !== made ? title : own;
}

/** Whether a schema needs a nested form: objects in lists or in objects, or alternatives. */
export function isDeep(schema: JsonObject): boolean {
  const hasShapes = (one: JsonObject) => ["oneOf", "anyOf", "allOf", "if"].some((key) => key in one);
  const isStructured = ({ kind, schema: own }: Field): boolean => {
    if (kind.is === "group") return hasShapes(own) || kind.fields.some(isStructured);
    return kind.is === "json" && (hasShapes(own) || isObject(own.properties) || "items" in own || "prefixItems" in own);
  };
  return hasShapes(schema) || fieldsOf(schema).some(isStructured);
}

/** A property may carry the definitions it refers to. */
function rootOf(raw: JsonObject, root: JsonObject): JsonObject {
  return isObject(raw.$defs) ? raw : root;
}

/** Resolve `$ref`, a single `allOf`, and "this or null". */
function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  let now = schema;
  for (let hops = 0; hops < 16; hops++) {
    if (typeof now.$ref === "string") {
      const { $ref, ...beside } = now;
      const found = ($ref as string)
        .replace(/^#\//, "")
        .split("/")
        .reduce<JsonValue | undefined>((node, part) => (isObject(node) ? node[part] : undefined), root);
      now = { ...(isObject(found) ? found : {}), ...beside };
      continue;
    }
    const wrapped = onlyOne(now.allOf) ?? onlyOne(now.anyOf) ?? onlyOne(now.oneOf);
    if (wrapped === null) break;
    const { allOf: _a, anyOf: _b, oneOf: _c, ...beside } = now;
    now = { ...wrapped, ...beside };
  }
  if (Array.isArray(now.type)) {
    const [type, ...more] = now.type.filter((name) => name !== "null");
    if (type !== undefined && more.length === 0) now = { ...now, type };
  }
  return now;
}

function onlyOne(branches: JsonValue | undefined): JsonObject | null {
  if (!Array.isArray(branches)) return null;
  const real = branches.filter((branch) => isObject(branch) && branch.type !== "null");
  return real.length === 1 && isObject(real[0]) ? real[0] : null;
}

function kindOf(schema: JsonObject, root: JsonObject, path: string, depth: number): FieldKind {
  const choices = choicesOf(schema);
  if (choices !== null) return { is: "choice", choices };
  switch (schema.type) {
    case "boolean":
      return { is: "boolean" };
    case "integer":
    case "number":
      return { is: "number", integer: schema.type === "integer" };
    case "string":
      return textKind(schema);
    case "array": {
      const items = resolved(isObject(schema.items) ? schema.items : {}, root);
      const several = choicesOf(items);
      if (several !== null) return { is: "choices", choices: several };
      if (items.type === "string" || items.type === "number" || items.type === "integer") {
        return { is: "lines", of: items.type };
      }
      return { is: "json" };
    }
    case "object":
      if (depth === 0 && isObject(schema.properties)) {
        return { is: "group", fields: fieldsOf(schema, root, path, depth + 1) };
      }
      return { is: "json" };
    default:
      return { is: "json" };
  }
}

const LONG_TEXT = 160;

function textKind(schema: JsonObject): FieldKind {
  switch (schema.format) {
    case "duration":
      return { is: "duration" };
    case "email":
    case "date":
    case "time":
      return { is: "text", input: schema.format };
    case "date-time":
      return { is: "text", input: "datetime-local" };
    case "uri":
    case "url":
      return { is: "text", input: "url" };
    case "textarea":
    case "multiline":
      return { is: "long" };
    default:
      return typeof schema.maxLength === "number" && schema.maxLength > LONG_TEXT
        ? { is: "long" }
        : { is: "text", input: "text" };
  }
}

function choicesOf(schema: JsonObject): Choice[] | null {
  if (Array.isArray(schema.enum)) {
    return schema.enum.map((value) => ({ value, label: value === null ? t("none") : String(value) }));
  }
  if ("const" in schema) return [{ value: schema.const ?? null, label: String(schema.title ?? schema.const) }];
  const branches = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(branches) || branches.length === 0) return null;
  const choices: Choice[] = [];
  for (const branch of branches) {
    if (!isObject(branch) || !("const" in branch)) return null;
    choices.push({ value: branch.const ?? null, label: String(branch.title ?? branch.const) });
  }
  return choices;
}
