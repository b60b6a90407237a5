// Draws a nested JSON Schema (objects in lists or in objects, alternatives) with rjsf and our own templates.
// Deep imports, since the package root requires a validator that generates code.
import Form from "@rjsf/core/lib/components/Form.js";
import ArrayField from "@rjsf/core/lib/components/fields/ArrayField.js";
import { TranslatableString, type FieldProps, type RJSFSchema } from "@rjsf/utils";
import { t } from "@sayso/core";
import { useMemo, useRef } from "react";
import { isObject } from "../../state.ts";
import type { JsonObject, JsonValue } from "../../wire.ts";
import { pathWords } from "../../parts/Changes.tsx";
import { fieldOf } from "../fields.ts";
import { readField, type FieldError } from "../inputs.ts";
import { Leaf, LeavesOfForm, type Leaves } from "./Leaf.tsx";
import { templates, widgets } from "./templates.tsx";
import { errorsIn, validator } from "./validator.ts";

export interface DeepFormProps {
  schema: JsonObject;
  values: JsonObject;
  onValues: (values: JsonObject) => void;
  leaves: Leaves;
}

/** A list of plain strings, numbers or choices is one field, as in a flat form. */
function ListField(props: FieldProps<unknown, RJSFSchema>) {
  const kind = fieldOf(props.name, props.schema as JsonObject, {}, "", false).kind.is;
  return kind === "lines" || kind === "choices" ? <Leaf {...props} /> : <ArrayField {...(props as FieldProps<unknown[], RJSFSchema>)} />;
}

const fields = { StringField: Leaf, NumberField: Leaf, BooleanField: Leaf, FallbackField: Leaf, ArrayField: ListField };

export function DeepForm({ schema, values, onValues, leaves }: DeepFormProps) {
  const drawn = useMemo(() => drawable(schema) as RJSFSchema, [schema]);
  const latest = useRef(onValues);
  latest.current = onValues;
  return (
    <LeavesOfForm.Provider value={leaves}>
      <Form<unknown, RJSFSchema>
        tagName="div"
        idPrefix={useMemo(() => `sy${Math.round(Math.random() * 1e9)}`, [])}
        schema={drawn}
        formData={values}
        validator={validator}
        fields={fields}
        templates={templates}
        widgets={widgets}
        noValidate
        noHtml5Validate
        showErrorList={false}
        useFallbackUiForUnsupportedType
        experimental_defaultFormStateBehavior={{ emptyObjectFields: "skipEmptyDefaults", arrayMinItems: { populate: "all" } }}
        translateString={translated}
        uiSchema={{ "ui:submitButtonOptions": { norender: true } }}
        onChange={({ formData }) => latest.current(isObject(formData) ? formData : {})}
      >
        <></>
      </Form>
    </LeavesOfForm.Provider>
  );
}

/** The only texts of rjsf that are ever shown. */
function translated(words: TranslatableString, params: string[] = []): string {
  const n = params.at(-1) ?? "";
  return words === TranslatableString.OptionPrefix || words === TranslatableString.TitleOptionPrefix ? t("Option {n}", { n }) : words;
}

/** Return the values to send, without empty ones, or their errors. */
export function readDeep(schema: JsonObject, values: JsonObject, leaves: Leaves): { ok: true; values: JsonObject } | { ok: false; errors: FieldError[] } {
  const read = withoutHoles(values);
  const errors = errorsIn(schema, read).map((error) => {
    const leaf = leaves.fields.get(error.path);
    const inWords = leaf === undefined ? null : readField({ ...leaf.field, required: true }, leaf.input);
    return inWords === null || inWords.ok ? error : { ...error, message: inWords.errors[0]?.message ?? error.message };
  });
  return errors.length === 0 ? { ok: true, values: isObject(read) ? read : {} } : { ok: false, errors };
}

export function labelOfPath(path: string, leaves: Leaves): string {
  const parts = path.split("/");
  const leaf = leaves.fields.get(path)?.field.label;
  if (leaf === undefined) return pathWords(path);
  return parts.length === 1 ? leaf : `${pathWords(parts.slice(0, -1).join("/"))}, ${leaf}`;
}

function withoutHoles(value: JsonValue | undefined): JsonValue {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as JsonValue);
}

/** Give a value without a schema its name, since rjsf draws nothing for an empty schema. */
function drawable(schema: JsonObject): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : null;
  if (properties === null) return schema;
  const named = Object.entries(properties).map(([name, inner]): [string, JsonValue] => {
    if (isObject(inner) && Object.keys(inner).length > 0) return [name, drawable(inner)];
    return [name, { description: "" }];
  });
  return { ...schema, properties: Object.fromEntries(named) };
}
