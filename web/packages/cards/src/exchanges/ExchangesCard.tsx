// An approval whose rows are decided one by one: each can be approved, changed or left out, and all are seen whole.
import { useId, useRef, useState } from "react";
import { answer, isSending, type CardProps } from "../card.ts";
import { approvalDetails, WhoActs } from "../approval/ApprovalCard.tsx";
import { editsOf, originalOf, UnderApproval } from "../approval/Editable.tsx";
import { objectOf, textOf } from "../draft.ts";
import { Button } from "../parts/Actions.tsx";
import { Changes, Was } from "../parts/Changes.tsx";
import { buttonWords, Decision } from "../parts/Decision.tsx";
import { Details } from "../parts/Details.tsx";
import { Frame } from "../parts/Frame.tsx";
import { Note } from "../parts/Note.tsx";
import { Warnings } from "../parts/Notice.tsx";
import { Value } from "../parts/Values.tsx";
import { FieldInput } from "../schema/FieldInput.tsx";
import type { Field } from "../schema/fields.ts";
import type { Column, ExchangesPayload, JsonValue, Row } from "../wire.ts";
import { count, labelOf, plain, same } from "../words.ts";
import { cellEdits, cellInput, reasonOf, rowsArgument, verdictOf, type Verdict } from "./rows.ts";

export function ExchangesCard(card: CardProps<ExchangesPayload>) {
  const { payload, meta, draft } = card;
  const { rows } = payload;
  const words = buttonWords(payload.approval_options);
  const verdicts = rows.map((row) => verdictOf(draft, row));
  const approved = rows.filter((_, i) => verdicts[i] === "approved");
  const leftOut = rows.filter((_, i) => verdicts[i] === "left_out");
  const open = rows.filter((_, i) => verdicts[i] === "open");
  const warned = rows.filter((row) => (row.warnings ?? []).length > 0);
  const edits = cellEdits(payload, draft);
  const besides = editsOf(payload, draft);
  const inputs = useRef(new Map<string, HTMLElement>());
  const [missing, setMissing] = useState<"nothing" | "decisions" | "values">("nothing");
  // Nothing decided and nothing to look twice at: one press approves what is on the screen, which is all of it.
  const allAtOnce = open.length === rows.length && warned.length === 0;
  const yes = allAtOnce ? rows : approved;

  function decideRows(verdict: Verdict, which: Row[]): void {
    const said = { ...objectOf(draft, "rows") };
    for (const row of which) said[row.row_id] = verdict;
    card.setDraft({ rows: said });
  }

  function mayApprove(): boolean {
    const wrong = [...besides.errors.keys(), ...edits.errors.keys()][0];
    if (wrong !== undefined) {
      setMissing("values");
      inputs.current.get(wrong)?.focus();
      return false;
    }
    if (!allAtOnce && open.length > 0) {
      setMissing("decisions");
      inputs.current.get(`${open[0]?.row_id}/decision`)?.focus();
      return false;
    }
    return true;
  }

  function approveRows(): void {
    const rejected = Object.fromEntries(leftOut.map((row) => [row.row_id, reasonOf(draft, row).trim()]));
    card.submit(
      answer(meta, {
        approved: true,
        reason: textOf(draft, "note"),
        data: {
          approved_rows: yes.map((row) => row.row_id),
          ...(leftOut.length === 0 ? {} : { rejected_rows: rejected }),
          ...(changes.length === 0 ? {} : { edits: { ...besides.values, ...edits.edits } }),
        },
      }),
    );
  }

  const changes = [
    ...Object.entries(besides.values).map(([path, after]) => ({ path, before: originalOf(payload, path) ?? null, after })),
    ...edits.changed.map(({ row, key, before, after }) => ({ path: `rows/${row.row_id}/${key}`, before, after })),
  ];
  const isWholeTable = (value: JsonValue) => same(value, rows.map((row) => row.values));

  return (
    <Frame
      card={card}
      title={payload.title}
      lead={payload.message ?? payload.agent_message}
      tone="ask"
      chip="Needs your answer"
      context={payload.context}
    >
      <Warnings impact={payload.impact} warnings={payload.warnings} />
      <Changes heading="What changed since the last proposal" changes={payload.changes ?? []} />
      <UnderApproval card={card} errors={missing === "values" ? besides.errors : new Map()} inputs={inputs.current} isElsewhere={isWholeTable} />
      <div className="sy-body">
        <table className="sy-table">
          <caption>
            {count(rows.length, "row")}: {approved.length} approved, {leftOut.length} left out, {open.length} still open
          </caption>
          <thead>
            <tr>
              {payload.columns.map((column) => <th scope="col" key={column.key}>{column.label}</th>)}
              <th scope="col">Decision</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <RowView
                key={row.row_id}
                card={card}
                row={row}
                verdict={verdictOf(draft, row)}
                onVerdict={(verdict) => decideRows(verdict, [row])}
                isMissing={missing === "decisions" && verdictOf(draft, row) === "open"}
                errors={missing === "values" ? edits.errors : new Map()}
                inputs={inputs.current}
              />
            ))}
          </tbody>
        </table>
        {warned.length > 0 && warned.length < rows.length && open.length > 0 && (
          <Button
            look="quiet"
            sending={isSending(card.state)}
            onPress={() => decideRows("approved", rows.filter((row) => !warned.includes(row)))}
          >
            Approve all without warnings
          </Button>
        )}
      </div>
      <WhoActs payload={payload} changes={changes.length} />
      <Note card={card} />
      <Decision
        card={card}
        of={`${meta.revision ?? 1} ${meta.digest ?? ""}`}
        approveLabel={approveWords(words.approve, yes.length, leftOut.length, rows.length)}
        rejectLabel={leftOut.length === rows.length ? "Leave out all" : `${words.reject} all`}
        reasonRequired={payload.requires_reason ?? true}
        mayApprove={() => mayApprove() && yes.length > 0}
        onApprove={approveRows}
        onReject={({ reason, suggestions }) =>
          card.submit(answer(meta, { approved: false, reason, data: { suggestions } }))
        }
        {...(payload.final_confirmation === true
          ? {
              review: (
                <>
                  <p>{approveWords(words.approve, yes.length, leftOut.length, rows.length)}.</p>
                  <Warnings impact={payload.impact} />
                  <Changes heading="Changed by you" changes={changes} />
                </>
              ),
            }
          : {})}
      />
      <Details values={approvalDetails(payload, meta)} />
    </Frame>
  );
}

interface RowProps {
  card: CardProps<ExchangesPayload>;
  row: Row;
  verdict: Verdict;
  onVerdict: (verdict: Verdict) => void;
  isMissing: boolean;
  errors: ReadonlyMap<string, string>;
  inputs: Map<string, HTMLElement>;
}

function RowView({ card, row, verdict, onVerdict, isMissing, errors, inputs }: RowProps) {
  const { payload, draft } = card;
  const id = useId();
  const fields = rowsArgument(payload)?.fields ?? new Map<string, Field>();
  const name = nameOf(payload, row);
  const shown = new Set(payload.columns.map((column) => column.key));
  const unshown = Object.fromEntries(Object.entries(row.values).filter(([key]) => !shown.has(key)));
  return (
    <tr data-verdict={verdict}>
      {payload.columns.map((column, i) => {
        const field = fields.get(column.key);
        const content = (
          <>
            <span className="sy-cell-label" aria-hidden="true">{column.label}</span>
            {field === undefined || verdict === "left_out" ? (
              <bdi>{cellText(column, row.values[column.key])}</bdi>
            ) : (
              <Cell
                card={card}
                row={row}
                field={{ ...field, path: `${row.row_id}/${column.key}`, label: `${column.label} of ${name}` }}
                errors={errors}
                inputs={inputs}
              />
            )}
            {i === 0 && (
              <>
                {Object.keys(unshown).length > 0 && (
                  <span className="sy-row-more">
                    {Object.entries(unshown).map(([key, value]) => (
                      <span key={key}>{labelOf(key)}: <Value value={value} /></span>
                    ))}
                  </span>
                )}
                {(row.warnings ?? []).map((warning, n) => (
                  <span className="sy-row-warning" key={n}><span aria-hidden="true">▲ </span>Warning: {warning}</span>
                ))}
              </>
            )}
          </>
        );
        return i === 0 ? <th scope="row" key={column.key}>{content}</th> : <td key={column.key}>{content}</td>;
      })}
      <td className="sy-decide">
        <fieldset className="sy-verdict-choice">
          <legend className="sy-hidden">Decision on {name}</legend>
          {(["approved", "left_out"] as const).map((choice) => (
            <label key={choice} data-choice={choice}>
              <input
                type="radio"
                name={id}
                checked={verdict === choice}
                onChange={() => onVerdict(choice)}
                {...(isMissing ? { "aria-invalid": true, "aria-describedby": `${id}-missing` } : {})}
                ref={choice === "approved" ? (element) => keep(inputs, `${row.row_id}/decision`, element) : null}
              />
              <span>{choice === "approved" ? "Approve" : "Leave out"}</span>
            </label>
          ))}
        </fieldset>
        {isMissing && <p className="sy-error" id={`${id}-missing`}>Decide on this row.</p>}
        {verdict === "left_out" && (
          <input
            className="sy-input"
            type="text"
            dir="auto"
            aria-label={`Why leave out ${name} (optional)`}
            placeholder="Why? (optional)"
            value={reasonOf(draft, row)}
            onChange={(event) =>
              card.setDraft({
                row_reasons: { ...objectOf(draft, "row_reasons"), [row.row_id]: event.currentTarget.value },
              })
            }
          />
        )}
      </td>
    </tr>
  );
}

interface CellProps {
  card: CardProps<ExchangesPayload>;
  row: Row;
  /** With its label and path made those of this cell. */
  field: Field;
  errors: ReadonlyMap<string, string>;
  inputs: Map<string, HTMLElement>;
}

function Cell({ card, row, field, errors, inputs }: CellProps) {
  const original = row.values[field.name];
  const value = cellInput(card.draft, row, field);
  const cells = objectOf(card.draft, "cells");
  return (
    <>
      {String(value ?? "") !== String(original ?? "") && <span className="sy-was"><Was value={original} /></span>}
      <FieldInput
        field={field}
        labelHidden
        value={value}
        errors={errors}
        inputs={inputs}
        onValue={(next) =>
          card.setDraft({
            cells: { ...cells, [row.row_id]: { ...objectOf(cells, row.row_id), [field.name]: next } },
          })
        }
      />
    </>
  );
}

function keep(inputs: Map<string, HTMLElement>, path: string, element: HTMLElement | null): void {
  if (element === null) inputs.delete(path);
  else inputs.set(path, element);
}

function nameOf(payload: ExchangesPayload, row: Row): string {
  const first = payload.columns[0];
  return first === undefined ? `row ${row.row_id}` : plain(row.values[first.key]);
}

/** A cell's words; the direction of an exchange reads Input or Output. */
function cellText(column: Column, value: JsonValue | undefined): string {
  if (column.key === "is_input" && typeof value === "boolean") return value ? "Input" : "Output";
  return value === null || value === undefined ? "–" : plain(value);
}

function approveWords(verb: string, approved: number, leftOut: number, all: number): string {
  if (approved === all) return all === 1 ? `${verb} the row` : `${verb} all ${all} rows`;
  if (approved === 0) return `${verb} rows`;
  return `${verb} ${count(approved, "row")}${leftOut === 0 ? "" : `, leave out ${leftOut}`}`;
}
