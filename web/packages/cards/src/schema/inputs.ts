// Converts between values and the text of inputs, and validates what was typed.
//
// The server validates again with the same schema; the checks here save a round trip and name the field.
import { t } from "@sayso/core";
import { isObject } from "../state.ts";
import type { JsonObject, JsonValue } from "../wire.ts";
import { same } from "../words.ts";
import { durationInput, durationOf, unitOf } from "./duration.ts";
import type { Field } from "./fields.ts";

export type Read = { ok: true; values: JsonObject } | { ok: false; errors: FieldError[] };
export interface FieldError {
  path: string;
  message: string;
}
export type ReadOne = { ok: true; value: JsonValue | undefined } | { ok: false; errors: FieldError[] };

/** Return the initial inputs: the given values, else the schema's defaults, else empty. */
export function startOf(fields: Field[], given: JsonObject): JsonObject {
  const start: JsonObject = {};
  for (const field of fields) {
    const value = field.name in given ? given[field.name] : field.schema.default;
    start[field.name] = inputOf(field, value);
  }
  return start;
}

/** Format one value for its input. */
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
    case "duration":
      return durationInput(value);
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

/** Parse all inputs, or return every error. */
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

export function readField(field: Field, input: JsonValue | undefined): ReadOne {
  const { kind } = field;
  switch (kind.is) {
    case "boolean":
      return means(input === true);
    case "choice":
      if (input === undefined || (input === null && !kind.choices.some((c) => c.value === null))) return left(field, t("Choose one."));
      return means(input);
    case "choices": {
      const chosen = Array.isArray(input) ? input : [];
      if (chosen.length === 0 && !field.required) return means(undefined);
      return unless(countProblem(field.schema, chosen.length), field, chosen);
    }
    case "lines":
      return readLines(field, kind.of, String(input ?? ""));
    case "duration":
      return readDuration(field, isObject(input) ? input : {});
    case "group":
      return readGroup(field, kind.fields, isObject(input) ? input : {});
    case "json":
      return readJson(field, String(input ?? "").trim());
    case "number":
      return readNumber(field, kind.integer, String(input ?? "").trim());
    case "text":
      return readText(field, kind.input, String(input ?? ""));
    case "long":
      return readText(field, "text", String(input ?? ""));
  }
}

function readLines(field: Field, of: "string" | "number" | "integer", text: string): ReadOne {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  if (lines.length === 0 && !field.required) return means(undefined);
  const problem = countProblem(field.schema, lines.length);
  if (problem !== null || of === "string") return unless(problem, field, lines);
  const numbers = lines.map(Number);
  const bad = lines.find((_, i) => !isNumber(numbers[i], of === "integer"));
  return bad === undefined ? means(numbers) : wrong(field, t("“{text}” is not a number.", { text: bad }));
}

function readDuration(field: Field, typed: JsonObject): ReadOne {
  const text = String(typed.count ?? "").trim();
  if (text === "") return left(field, t("Fill in a number."));
  const count = Number(text);
  if (!isNumber(count, false) || count <= 0) return wrong(field, t("Write a number, for example 12.5."));
  return means(durationOf(count, unitOf(typed.unit)));
}

function readGroup(field: Field, fields: Field[], inputs: JsonObject): ReadOne {
  const read = readFields(fields, inputs);
  if (read.ok) return means(Object.keys(read.values).length === 0 && !field.required ? undefined : read.values);
  // Leave out an optional group that was not touched.
  const isTouched = JSON.stringify(inputs) !== JSON.stringify(startOf(fields, {}));
  return field.required || isTouched ? read : means(undefined);
}

function readJson(field: Field, text: string): ReadOne {
  if (text === "") return left(field, t("Fill this in."));
  try {
    return means(JSON.parse(text) as JsonValue);
  } catch {
    return wrong(field, t("This is not valid JSON."));
  }
}

function readNumber(field: Field, integer: boolean, text: string): ReadOne {
  if (text === "") return left(field, t("Fill in a number."));
  const number = Number(text);
  if (!isNumber(number, false)) return wrong(field, t("Write a number, for example 12.5."));
  if (integer && !Number.isInteger(number)) return wrong(field, t("Write a whole number."));
  return unless(outOfRange(field.schema, number), field, number);
}

function readText(field: Field, input: string, text: string): ReadOne {
  if (text.trim() === "") return left(field, t("Fill this in."));
  const problem = wrongText(field.schema, text, input);
  if (problem !== null || input !== "datetime-local") return unless(problem, field, text);
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? wrong(field, t("Give a date and a time.")) : means(time.toISOString());
}

function means(value: JsonValue | undefined): ReadOne {
  return { ok: true, value };
}

function wrong(field: Field, message: string): ReadOne {
  return { ok: false, errors: [{ path: field.path, message }] };
}

function unless(problem: string | null, field: Field, value: JsonValue): ReadOne {
  return problem === null ? means(value) : wrong(field, problem);
}

/** Nothing was put in. */
function left(field: Field, message: string): ReadOne {
  return field.required ? wrong(field, message) : means(undefined);
}

function wrongText(schema: JsonObject, text: string, input: string): string | null {
  const length = [...text].length;
  if (typeof schema.minLength === "number" && length < schema.minLength) {
    return t("Write at least {n} characters; these are {length}.", { n: schema.minLength, length });
  }
  if (typeof schema.maxLength === "number" && length > schema.maxLength) {
    return t("Write at most {n} characters; these are {length}.", { n: schema.maxLength, length });
  }
  if (input === "email" && !/^[^\s@]+@[^\s@]+$/.test(text)) return t("Write an e-mail address, for example ana@example.org.");
  if (typeof schema.pattern === "string" && !matches(schema.pattern, text)) {
    return t("This does not have the form that is asked for.");
  }
  return null;
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true; // the server judges patterns of another regex dialect
  }
}

function outOfRange(schema: JsonObject, number: number): string | null {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (typeof minimum === "number" && number < minimum) return t("It must be {n} or more.", { n: minimum });
  if (typeof maximum === "number" && number > maximum) return t("It must be {n} or less.", { n: maximum });
  if (typeof exclusiveMinimum === "number" && number <= exclusiveMinimum) return t("It must be more than {n}.", { n: exclusiveMinimum });
  if (typeof exclusiveMaximum === "number" && number >= exclusiveMaximum) return t("It must be less than {n}.", { n: exclusiveMaximum });
  if (typeof multipleOf === "number" && Math.abs(number / multipleOf - Math.round(number / multipleOf)) > 1e-9) {
    return t("It must be a multiple of {n}.", { n: multipleOf });
  }
  return null;
}

function countProblem({ minItems, maxItems }: JsonObject, n: number): string | null {
  if (typeof minItems === "number" && n < minItems) return t("Give at least {n}.", { n: minItems });
  if (typeof maxItems === "number" && n > maxItems) return t("Give at most {n}.", { n: maxItems });
  return null;
}

function isNumber(number: number | undefined, integer: boolean): boolean {
  return number !== undefined && Number.isFinite(number) && (!integer || Number.isInteger(number));
}

/** Format an instant for a datetime-local input, in the reader's time zone. */
function localTime(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
