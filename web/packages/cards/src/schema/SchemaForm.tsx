// A form drawn from a JSON Schema: its fields, an error summary that gets the focus and leads to each field, and submit.
import { useLayoutEffect, useMemo, useRef, useState, type ReactNode } from "react";
import type { JsonObject, ProblemWords } from "../wire.ts";
import { count } from "../words.ts";
import { FieldInput } from "./FieldInput.tsx";
import { fieldsOf, readFields, startOf, type FieldError } from "./fields.ts";

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

export function SchemaForm({ schema, given, typed, onTyped, onSubmit, problem, problemPath, children }: Props) {
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const inputs = useRef(new Map<string, HTMLElement>());
  const summary = useRef<HTMLDivElement>(null);
  const [found, setFound] = useState<FieldError[]>([]);
  const [tries, setTries] = useState(0);
  const values = { ...startOf(fields, given), ...typed };

  const fromServer = useMemo(() => (problem === undefined ? [] : errorsUnder(problem, problemPath)), [problem, problemPath]);
  const shown = found.length > 0 ? found : fromServer;
  const errors = new Map(shown.map((error) => [error.path, error.message]));

  useLayoutEffect(() => {
    if (shown.length > 0) summary.current?.focus();
  }, [tries, fromServer]);

  return (
    <form
      noValidate
      className="sy-form"
      onSubmit={(event) => {
        event.preventDefault();
        const read = readFields(fields, values);
        setFound(read.ok ? [] : read.errors);
        setTries((n) => n + 1);
        if (read.ok) onSubmit(read.values);
      }}
    >
      {shown.length > 0 && (
        <div className="sy-summary" ref={summary} tabIndex={-1}>
          <p><b>{count(shown.length, "thing")} to correct</b></p>
          <ul>
            {shown.map((error) => (
              <li key={error.path}>
                <a
                  href="#"
                  onClick={(event) => {
                    event.preventDefault();
                    inputs.current.get(error.path)?.focus();
                  }}
                >
                  {labelAt(fields, error.path)}
                </a>
                {": "}
                {error.message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={values[field.name]}
          errors={errors}
          inputs={inputs.current}
          onValue={(value) => onTyped({ ...typed, [field.name]: value })}
        />
      ))}
      {children}
    </form>
  );
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
