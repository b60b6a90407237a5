// A form drawn from a JSON Schema: its fields, submit, and an error summary that takes the focus and links to each field.
import { lazy, t } from "@sayso/core";
import { useLayoutEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useLazy } from "../useLazy.ts";
import { NotLoaded, Skeleton } from "../parts/Skeleton.tsx";
import type { JsonObject, ProblemWords } from "../wire.ts";
import type { Leaves } from "./deep/Leaf.tsx";
import { FieldInput } from "./FieldInput.tsx";
import { fieldsOf, isDeep } from "./fields.ts";
import { readFields, startOf, type FieldError, type Read } from "./inputs.ts";

interface Props {
  schema: JsonObject;
  /** The initial values of the fields. */
  given: JsonObject;
  /** What this person chose last in this form: it fills what was not given, and is marked. A nested form has none. */
  last?: JsonObject;
  /** What was typed before, as typed, by field. */
  typed: JsonObject;
  onTyped: (typed: JsonObject) => void;
  onSubmit: (values: JsonObject) => void;
  /** The server's problem with the last values, and the path prefix of its errors. */
  problem?: ProblemWords | undefined;
  problemPath: string;
  children: ReactNode;
}

export function SchemaForm(props: Props) {
  const goesDeep = useMemo(() => isDeep(props.schema), [props.schema]);
  return goesDeep ? <Deep {...props} /> : <Flat {...props} />;
}

function Flat(props: Props) {
  const { schema, given, last = {}, typed, onTyped } = props;
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const values = { ...startOf(fields, { ...last, ...given }), ...typed };
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
            last={last[field.name]}
            errors={errors}
            inputs={inputs}
            onValue={(value) => onTyped({ ...typed, [field.name]: value })}
          />
        ))
      }
    />
  );
}

/** Few forms are nested, and the code that draws them is large. */
export const deepForms = lazy(() => import("./deep/DeepForm.tsx"));

function Deep(props: Props) {
  const loaded = useLazy(deepForms);
  const leaves = useRef<Leaves["fields"]>(new Map());
  // Nested values are kept whole, since list entries have no names of their own.
  const values = { ...props.given, ...props.typed };
  if (loaded.is === "failed") return <NotLoaded retry={loaded.retry} />;
  if (loaded.is === "loading") return <Skeleton lines={3 * fieldsOf(props.schema).length} />;
  const { DeepForm, labelOfPath, readDeep } = loaded.value;
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

/** Shared by flat and nested forms: errors come first and take the focus. */
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

/** Find the input at a path, or the group around it. */
function nearest(inputs: Map<string, HTMLElement>, path: string): HTMLElement | undefined {
  return inputs.get(path) ?? (path.includes("/") ? nearest(inputs, path.slice(0, path.lastIndexOf("/"))) : undefined);
}

/** Return the server's errors about these values, with paths as the form uses them. */
export function errorsUnder(problem: Pick<ProblemWords, "errors">, at: string): FieldError[] {
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
