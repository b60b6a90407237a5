// Validates JSON Schema without `eval`, which the page's CSP forbids: the interface rjsf needs, and error messages.
import { Validator, type OutputUnit, type Schema } from "@cfworker/json-schema";
import type { RJSFSchema, ValidatorType } from "@rjsf/utils";
import { t } from "@sayso/core";
import type { JsonObject, JsonValue } from "../../wire.ts";
import type { FieldError } from "../inputs.ts";

/** rjsf only asks which branch of a `oneOf` fits; `errorsIn` finds errors on submit. */
export const validator: ValidatorType<unknown, RJSFSchema> = {
  isValid: (schema, value, root) => outputOf(withDefinitions(schema, root), value).length === 0,
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({}),
};

/** Return every error, by the path of the value. */
export function errorsIn(schema: JsonObject, values: JsonValue): FieldError[] {
  const found = new Map<string, FieldError>();
  for (const unit of outputOf(schema, values)) {
    const error = inWords(unit);
    if (error === null) continue;
    const known = found.get(error.path);
    // A missing field is a clearer message than its parent's mismatch.
    if (known === undefined || known.message === DOES_NOT_FIT()) found.set(error.path, error);
  }
  const errors = [...found.values()];
  return errors.filter(
    (error) => error.message !== DOES_NOT_FIT() || !errors.some((other) => other.path.startsWith(`${error.path}/`)),
  );
}

function outputOf(schema: JsonObject | RJSFSchema, value: unknown): OutputUnit[] {
  if (value === undefined) return [];
  try {
    // Copies: the validator mutates the schema and rejects properties that are undefined.
    return new Validator(copied(schema) as Schema, "2020-12", false).validate(copied(value)).errors;
  } catch {
    // A schema that cannot be resolved is left to the server.
    return [];
  }
}

function copied(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function withDefinitions(schema: RJSFSchema, root: RJSFSchema): RJSFSchema {
  const { $defs, definitions } = root;
  return {
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    ...schema,
  };
}

const DOES_NOT_FIT = (): string => t("This does not have the form that is asked for.");

/** Keywords whose errors only repeat an error further in. */
const OUTER = new Set(["properties", "items", "prefixItems", "$ref", "allOf", "additionalProperties", "if"]);

function inWords({ keyword, instanceLocation, error }: OutputUnit): FieldError | null {
  const path = instanceLocation.replace(/^#\/?/, "").split("/").map(unescaped).join("/");
  const named = /"([^"]+)"/.exec(error)?.[1];
  switch (keyword) {
    case "required":
      return { path: under(path, named), message: t("Fill this in.") };
    case "minItems":
      return { path, message: t("There are too few entries.") };
    case "maxItems":
      return { path, message: t("There are too many entries.") };
    case "uniqueItems":
      return { path, message: t("Two entries are the same.") };
    default:
      return OUTER.has(keyword) ? null : { path, message: DOES_NOT_FIT() };
  }
}

function under(path: string, name: string | undefined): string {
  if (name === undefined) return path;
  return path === "" ? name : `${path}/${name}`;
}

function unescaped(part: string): string {
  return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
}
