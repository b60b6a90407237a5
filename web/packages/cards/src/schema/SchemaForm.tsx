// A form drawn from a JSON Schema: its fields, an error summary that gets the focus and leads to each field, and submit.
import { later, t } from "@sayso/core";
import { useLayoutEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useLater } from "../later.ts";
import { NotLoaded, Skeleton } from "../parts/Skeleton.tsx";
import type { JsonObject, ProblemWords } from "../wire.ts";
import type { Leaves } from "./deep/Leaf.tsx";
import { FieldInput } from "./FieldInput.tsx";
import { fieldsOf, isDeep } from "./fields.ts";
import { readFields, startOf, type FieldError, type Read } from "./inputs.ts";

interface Props {
  schema: JsonObject;
  /** What stands in the fields before anything is typed. */
  given: JsonObject;
  /** What was typed before (text as typed), by field. */
  typed: JsonObject;
  onTyped: (typed: JsonObject) => void;
  onSubmit: (values: JsonObject) => void;
  /** What the server said of the last values, and under which path it speaks of them. */
  problem?: ProblemWords | undefined;
  problemPath: string;
  children: ReactNode;
}

export function SchemaForm(props: Props) {
  const goesDeep = useMemo(() => isDeep(props.schema), [props.schema]);
  return goesDeep ? <Deep {...props} /> : <Flat {...props} />;
}

function Flat(props: Props) {
  const { schema, given, typed, onTyped } = props;
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const values = { ...startOf(fields, given), ...typed };
  return (
    <Sheet
      {...props}
      read={() => readFields(fields, values)}
      labelAt={(path) => labelAt(fields, path)}
      drawn={(errors, inputs) =>
        fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={values[field.name]}
            errors={errors}
            inputs={inputs}
            onValue={(value) => onTyped({ ...typed, [field.name]: value })}
          />
        ))
      }
    />
  );
}

/** Few forms are deep, and what draws them is large. */
export const deepForms = later(() => import("./deep/DeepForm.tsx"));

function Deep(props: Props) {
  const loaded = useLater(deepForms);
  const leaves = useRef<Leaves["fields"]>(new Map());
  // Deep values are kept whole, as entries of lists have no names of their own.
  const values = { ...props.given, ...props.typed };
  if (loaded.is === "failed") return <NotLoaded again={loaded.again} />;
  if (loaded.is === "coming") return <Skeleton lines={3 * fieldsOf(props.schema).length} />;
  const { DeepForm, labelOfPath, readDeep } = loaded.it;
  const all = (errors: Leaves["errors"], inputs: Leaves["inputs"]): Leaves => ({ root: props.schema, errors, inputs, fields: leaves.current });
  return (
    <Sheet
      {...props}
      read={() => readDeep(props.schema, values, all(new Map(), new Map()))}
      labelAt={(path) => labelOfPath(path, all(new Map(), new Map()))}
      drawn={(errors, inputs) => (
        <DeepForm schema={props.schema} values={values} onValues={props.onTyped} leaves={all(errors, inputs)} />
      )}
    />
  );
}

interface SheetProps extends Props {
  read: () => Read;
  labelAt: (path: string) => string;
  drawn: (errors: ReadonlyMap<string, string>, inputs: Map<string, HTMLElement>) => ReactNode;
}

/** What flat and deep forms share: what is wrong stands first, and the focus goes there. */
function Sheet({ read, labelAt, drawn, onSubmit, problem, problemPath, children }: SheetProps) {
  const inputs = useRef(new Map<string, HTMLElement>());
  const summary = useRef<HTMLDivElement>(null);
  const [found, setFound] = useState<FieldError[]>([]);
  const [tries, setTries] = useState(0);
  const fromServer = useMemo(() => (problem === undefined ? [] : errorsUnder(problem, problemPath)), [problem, problemPath]);
  const shown = found.length > 0 ? found : fromServer;
  const errors = useMemo(() => new Map(shown.map((error) => [error.path, error.message])), [shown]);

  useLayoutEffect(() => {
    if (shown.length > 0) summary.current?.focus();
  }, [tries, fromServer]);

  return (
    <form
      noValidate
      className="sy-form"
      onSubmit={(event) => {
        event.preventDefault();
        const values = read();
        setFound(values.ok ? [] : values.errors);
        setTries((n) => n + 1);
        if (values.ok) onSubmit(values.values);
      }}
    >
      {shown.length > 0 && (
        <div className="sy-summary" ref={summary} tabIndex={-1}>
          <p><b>{t("{n, plural, one {# thing} other {# things}} to correct", { n: shown.length })}</b></p>
          <ul>
            {shown.map((error) => (
              <li key={error.path}>
                <a
                  href="#"
                  onClick={(event) => {
                    event.preventDefault();
                    nearest(inputs.current, error.path)?.focus();
                  }}
                >
                  {labelAt(error.path)}
                </a>
                {": "}
                {error.message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {drawn(errors, inputs.current)}
      {children}
    </form>
  );
}

/** The input at a path, or the group around it. */
function nearest(inputs: Map<string, HTMLElement>, path: string): HTMLElement | undefined {
  return inputs.get(path) ?? (path.includes("/") ? nearest(inputs, path.slice(0, path.lastIndexOf("/"))) : undefined);
}

/** The server's errors about these values, with paths as the form knows them. */
export function errorsUnder(problem: ProblemWords, at: string): FieldError[] {
  return (problem.errors ?? [])
    .filter((error) => error.path.startsWith(`${at}/`))
    .map((error) => ({ path: error.path.slice(at.length + 1), message: error.message }));
}

function labelAt(fields: ReturnType<typeof fieldsOf>, path: string): string {
  for (const field of fields) {
    if (field.path === path) return field.label;
    if (field.kind.is === "group" && path.startsWith(`${field.path}/`)) return labelAt(field.kind.fields, path);
    if (path.startsWith(`${field.path}/`)) return field.label;
  }
  return path;
}
