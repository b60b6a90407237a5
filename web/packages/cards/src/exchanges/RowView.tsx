// One row of the table: its cells, editable ones as inputs, and its decision.
import { t } from "@sayso/core";
import { memo, useId } from "react";
import { Was } from "../parts/Changes.tsx";
import { Value } from "../parts/Values.tsx";
import { FieldInput } from "../schema/FieldInput.tsx";
import type { Field } from "../schema/fields.ts";
import { inputOf } from "../schema/inputs.ts";
import type { Column, JsonObject, JsonValue, Row } from "../wire.ts";
import { labelOf, plain } from "../words.ts";
import type { Verdict } from "./rows.ts";

/** Stable callbacks, so that a row renders again only when it changed. */
export interface RowActions {
  decide: (row: Row, verdict: Verdict) => void;
  explain: (row: Row, why: string) => void;
  change: (row: Row, field: Field, value: JsonValue) => void;
  inputs: Map<string, HTMLElement>;
}

interface Props {
  row: Row;
  /** Whether it is decided on its own. */
  isDecided: boolean;
  columns: Column[];
  /** The editable cells, by column. */
  fields: ReadonlyMap<string, Field>;
  verdict: Verdict;
  /** The verb for approving the row. */
  verb: string;
  reason: string;
  /** What was typed into its cells. */
  typed: JsonObject;
  isMissing: boolean;
  errors: ReadonlyMap<string, string>;
  actions: RowActions;
}

export const RowView = memo(
  function RowView(props: Props) {
    const { row, columns, verdict } = props;
    const shown = new Set(columns.map((column) => column.key));
    if (shown.has("amount") && unitOf(row) !== "") shown.add("unit");
    const unshown = Object.entries(row.values).filter(([key]) => !shown.has(key));
    return (
      <>
        <tr data-verdict={verdict}>
          {columns.map((column, i) => {
            const content = (
              <>
                <span className="sy-cell-label" aria-hidden="true">{column.label}</span>
                <CellContent {...props} column={column} />
                {i === 0 && (
                  <>
                    {(row.warnings ?? []).map((warning, n) => (
                      <span className="sy-row-warning" key={n}><span aria-hidden="true">▲ </span>{t("Warning")}: {warning}</span>
                    ))}
                  </>
                )}
              </>
            );
            return i === 0 ? <th scope="row" key={column.key}>{content}</th> : <td key={column.key} {...kindOf(row.values[column.key])}>{content}</td>;
          })}
          {props.isDecided && <td className="sy-decide"><DecisionOnRow {...props} /></td>}
        </tr>
        {unshown.length > 0 && (
          <tr className="sy-row-more" data-verdict={verdict}>
            <td colSpan={columns.length + (props.isDecided ? 1 : 0)}>
              {unshown.map(([key, value]) => <span key={key}>{labelOf(key)}: <Value value={value} /></span>)}
            </td>
          </tr>
        )}
      </>
    );
  },
  (a, b) =>
    a.row === b.row &&
    a.isDecided === b.isDecided &&
    a.verdict === b.verdict &&
    a.verb === b.verb &&
    a.reason === b.reason &&
    a.typed === b.typed &&
    a.isMissing === b.isMissing &&
    a.errors === b.errors &&
    a.fields === b.fields,
);

function kindOf(value: JsonValue | undefined): { "data-is"?: "number" } {
  return typeof value === "number" ? { "data-is": "number" } : {};
}

/** The unit of the row's amount, which stands beside it. */
function unitOf(row: Row): string {
  const unit = row.values["unit"];
  return typeof unit === "string" ? unit : "";
}

function CellContent({ row, column, columns, fields, verdict, typed, errors, actions }: Props & { column: Column }) {
  const field = fields.get(column.key);
  const original = row.values[column.key];
  const unit = column.key === "amount" ? unitOf(row) : "";
  if (field === undefined || verdict === "left_out") return <bdi>{`${cellText(column, original)} ${unit}`.trim()}</bdi>;
  const value = column.key in typed ? typed[column.key] : inputOf(field, original);
  const isChanged = String(value ?? "") !== String(original ?? "");
  return (
    <>
      {isChanged && <span className="sy-was"><Was value={original} /></span>}
      <span className="sy-measured">
        <FieldInput
          field={{
            ...field,
            path: `${row.row_id}/${column.key}`,
            label: t("{column} of {row}", { column: column.label, row: nameOf(columns, row) }),
          }}
          labelHidden
          value={value}
          errors={errors}
          inputs={actions.inputs}
          onValue={(next) => actions.change(row, field, next)}
        />
        {unit !== "" && <bdi>{unit}</bdi>}
      </span>
    </>
  );
}

function DecisionOnRow({ row, columns, verdict, verb, reason, isMissing, actions }: Props) {
  const id = useId();
  const name = nameOf(columns, row);
  return (
    <>
      <fieldset className="sy-verdict-choice">
        <legend className="sy-hidden">{t("Decision on {row}", { row: name })}</legend>
        {(["approved", "left_out"] as const).map((choice) => (
          <label key={choice} data-choice={choice}>
            <input
              type="radio"
              name={id}
              checked={verdict === choice}
              onChange={() => actions.decide(row, choice)}
              {...(isMissing ? { "aria-invalid": true, "aria-describedby": `${id}-missing` } : {})}
              ref={choice === "approved" ? (element) => keep(actions.inputs, `${row.row_id}/decision`, element) : null}
            />
            <span>{choice === "approved" ? verb : t("Exclude")}</span>
          </label>
        ))}
      </fieldset>
      {isMissing && <p className="sy-error" id={`${id}-missing`}>{t("Decide on this row.")}</p>}
      {verdict === "left_out" && (
        <input
          className="sy-input"
          type="text"
          dir="auto"
          aria-label={t("Why exclude {row} (optional)", { row: name })}
          placeholder={t("Why? (optional)")}
          value={reason}
          onChange={(event) => actions.explain(row, event.currentTarget.value)}
        />
      )}
    </>
  );
}

function keep(inputs: Map<string, HTMLElement>, path: string, element: HTMLElement | null): void {
  if (element === null) inputs.delete(path);
  else inputs.set(path, element);
}

function nameOf(columns: Column[], row: Row): string {
  const [first] = columns;
  return first === undefined ? t("row {id}", { id: row.row_id }) : plain(row.values[first.key]);
}

/** Format a cell; the direction of an exchange reads Input or Output. */
function cellText(column: Column, value: JsonValue | undefined): string {
  if (column.key === "is_input" && typeof value === "boolean") return value ? t("Input") : t("Output");
  return value === null || value === undefined ? "–" : plain(value);
}
