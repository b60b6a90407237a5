// A flat JSON Schema as the fields of a form: what kind each is, what a person's text means, and what is wrong with it.
//
// The server checks everything again with the same schema; the checks here only spare a round trip and name the field.
import { isObject } from "../state.ts";
import type { JsonObject, JsonValue } from "../wire.ts";
import { labelOf, same } from "../words.ts";

export interface Choice {
  value: JsonValue;
  label: string;
}

export type FieldKind =
  | { is: "text"; input: "text" | "email" | "url" | "date" | "datetime-local" | "time" }
  | { is: "long" }
  | { is: "number"; integer: boolean }
  | { is: "boolean" }
  | { is: "choice"; choices: Choice[] }
  | { is: "choices"; choices: Choice[] }
  | { is: "lines"; of: "string" | "number" | "integer" }
  | { is: "group"; fields: Field[] }
  /** Deeper than this form goes: written as JSON, rather than left out. */
  | { is: "json" };

export interface Field {
  name: string;
  /** Slashes between names, as in a problem's `errors`. */
  path: string;
  label: string;
  help: string;
  required: boolean;
  kind: FieldKind;
  schema: JsonObject;
}

export type Read = { ok: true; values: JsonObject } | { ok: false; errors: FieldError[] };
export interface FieldError {
  path: string;
  message: string;
}

/** The fields of an object schema, in its own order. */
export function fieldsOf(schema: JsonObject, root: JsonObject = schema, at = "", depth = 0): Field[] {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, raw]) => {
    const path = at === "" ? name : `${at}/${name}`;
    const own = resolved(isObject(raw) ? raw : {}, root);
    return {
      name,
      path,
      label: typeof own.title === "string" ? own.title : labelOf(name),
      help: typeof own.description === "string" ? own.description : "",
      required: required.includes(name),
      kind: kindOf(own, root, path, depth),
      schema: own,
    };
  });
}

/** What the inputs start from: the values given, else the schema's defaults, else nothing. */
export function startOf(fields: Field[], given: JsonObject): JsonObject {
  const start: JsonObject = {};
  for (const field of fields) {
    const value = field.name in given ? given[field.name] : field.schema.default;
    start[field.name] = inputOf(field, value);
  }
  return start;
}

/** One value as its input holds it. */
export function inputOf(field: Field, value: JsonValue | undefined): JsonValue {
  const { kind } = field;
  switch (kind.is) {
    case "boolean":
      return value === true;
    case "choice":
      return kind.choices.some((choice) => same(choice.value, value)) ? (value ?? null) : null;
    case "choices":
      return Array.isArray(value) ? value : [];
    case "lines":
      return Array.isArray(value) ? value.map(String).join("\n") : "";
    case "group":
      return startOf(kind.fields, isObject(value) ? value : {});
    case "json":
      return value === undefined || value === null ? "" : JSON.stringify(value, null, 2);
    case "text":
      if (kind.input === "datetime-local" && typeof value === "string") return localTime(value);
      return value === undefined || value === null ? "" : String(value);
    case "long":
    case "number":
      return value === undefined || value === null ? "" : String(value);
  }
}

/** The values that the inputs mean, or everything that is wrong with them. */
export function readFields(fields: Field[], inputs: JsonObject): Read {
  const values: JsonObject = {};
  const errors: FieldError[] = [];
  for (const field of fields) {
    const read = readField(field, inputs[field.name]);
    if (read.ok) {
      if (read.value !== undefined) values[field.name] = read.value;
    } else {
      errors.push(...read.errors);
    }
  }
  return errors.length === 0 ? { ok: true, values } : { ok: false, errors };
}

export type ReadOne = { ok: true; value: JsonValue | undefined } | { ok: false; errors: FieldError[] };

export function readField(field: Field, input: JsonValue | undefined): ReadOne {
  const wrong = (message: string): ReadOne => ({ ok: false, errors: [{ path: field.path, message }] });
  const { kind } = field;
  switch (kind.is) {
    case "boolean":
      return { ok: true, value: input === true };
    case "choice":
      if (input === undefined || (input === null && !kind.choices.some((c) => c.value === null))) {
        return field.required ? wrong("Choose one.") : { ok: true, value: undefined };
      }
      return { ok: true, value: input };
    case "choices": {
      const chosen = Array.isArray(input) ? input : [];
      if (chosen.length === 0 && !field.required) return { ok: true, value: undefined };
      return tooFew(field, chosen.length) ?? { ok: true, value: chosen };
    }
    case "lines": {
      const lines = String(input ?? "").split("\n").map((line) => line.trim()).filter((line) => line !== "");
      if (lines.length === 0 && !field.required) return { ok: true, value: undefined };
      const few = tooFew(field, lines.length);
      if (few !== null) return few;
      if (kind.of === "string") return { ok: true, value: lines };
      const numbers = lines.map(Number);
      const bad = lines.find((_, i) => !isNumber(numbers[i], kind.of === "integer"));
      return bad === undefined ? { ok: true, value: numbers } : wrong(`“${bad}” is not a number.`);
    }
    case "group": {
      const read = readFields(kind.fields, isObject(input) ? input : {});
      if (!read.ok) {
        // A group that may be left out and was not touched is left out.
        const touched = JSON.stringify(input ?? {}) !== JSON.stringify(startOf(kind.fields, {}));
        return field.required || touched ? read : { ok: true, value: undefined };
      }
      const empty = Object.keys(read.values).length === 0;
      return { ok: true, value: empty && !field.required ? undefined : read.values };
    }
    case "json": {
      const text = String(input ?? "").trim();
      if (text === "") return field.required ? wrong("Fill this in.") : { ok: true, value: undefined };
      try {
        return { ok: true, value: JSON.parse(text) as JsonValue };
      } catch {
        return wrong("This is not valid JSON.");
      }
    }
    case "number": {
      const text = String(input ?? "").trim();
      if (text === "") return field.required ? wrong("Fill in a number.") : { ok: true, value: undefined };
      const number = Number(text);
      if (!isNumber(number, false)) return wrong("Write a number, for example 12.5.");
      if (kind.integer && !Number.isInteger(number)) return wrong("Write a whole number.");
      const outside = outOfRange(field.schema, number);
      return outside === null ? { ok: true, value: number } : wrong(outside);
    }
    case "text":
    case "long": {
      const text = String(input ?? "");
      if (text.trim() === "") return field.required ? wrong("Fill this in.") : { ok: true, value: undefined };
      const problem = wrongText(field.schema, text, kind.is === "text" ? kind.input : "text");
      if (problem !== null) return wrong(problem);
      if (kind.is === "text" && kind.input === "datetime-local") {
        const time = new Date(text);
        return Number.isNaN(time.getTime()) ? wrong("Give a date and a time.") : { ok: true, value: time.toISOString() };
      }
      return { ok: true, value: text };
    }
  }
}

/** The schema behind `$ref`, a single `allOf`, and "this or null". */
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
    return schema.enum.map((value) => ({ value, label: value === null ? "none" : String(value) }));
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

function wrongText(schema: JsonObject, text: string, input: string): string | null {
  const length = [...text].length;
  if (typeof schema.minLength === "number" && length < schema.minLength) {
    return `Write at least ${schema.minLength} characters; these are ${length}.`;
  }
  if (typeof schema.maxLength === "number" && length > schema.maxLength) {
    return `Write at most ${schema.maxLength} characters; these are ${length}.`;
  }
  if (input === "email" && !/^[^\s@]+@[^\s@]+$/.test(text)) return "Write an e-mail address, for example ana@example.org.";
  if (typeof schema.pattern === "string" && !matches(schema.pattern, text)) {
    return "This does not have the form that is asked for.";
  }
  return null;
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true; // a pattern of another dialect is the server's to judge
  }
}

function outOfRange(schema: JsonObject, number: number): string | null {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === "number" && number < minimum) return `It must be ${minimum} or more.`;
  if (typeof maximum === "number" && number > maximum) return `It must be ${maximum} or less.`;
  if (typeof exclusiveMinimum === "number" && number <= exclusiveMinimum) return `It must be more than ${exclusiveMinimum}.`;
  if (typeof exclusiveMaximum === "number" && number >= exclusiveMaximum) return `It must be less than ${exclusiveMaximum}.`;
  if (typeof multipleOf === "number" && Math.abs(number / multipleOf - Math.round(number / multipleOf)) > 1e-9) {
    return `It must be a multiple of ${multipleOf}.`;
  }
  return null;
}

function tooFew(field: Field, n: number): ReadOne | null {
  const { minItems, maxItems } = field.schema;
  const wrong = (message: string): ReadOne => ({ ok: false, errors: [{ path: field.path, message }] });
  if (typeof minItems === "number" && n < minItems) return wrong(`Give at least ${minItems}.`);
  if (typeof maxItems === "number" && n > maxItems) return wrong(`Give at most ${maxItems}.`);
  return null;
}

function isNumber(number: number | undefined, integer: boolean): boolean {
  return number !== undefined && Number.isFinite(number) && (!integer || Number.isInteger(number));
}

/** What a datetime-local input shows for an instant: the reader's own wall clock. */
function localTime(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
