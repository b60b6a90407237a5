// An approval whose rows are decided one by one: each is shown in full and can be approved, changed or left out.
import { t } from "@sayso/core";
import { useMemo, useRef, useState } from "react";
import { answer, isSending, type CardProps } from "../card.ts";
import { Always, isAlways } from "../approval/Always.tsx";
import { approvalDetails, WhoActs } from "../approval/ApprovalCard.tsx";
import { editsOf, originalOf, UnderApproval } from "../approval/Editable.tsx";
import { Refused } from "../approval/Refused.tsx";
import { objectOf, textOf } from "../draft.ts";
import { Button } from "../parts/Actions.tsx";
import { Changes } from "../parts/Changes.tsx";
import { buttonWords, Decision } from "../parts/Decision.tsx";
import { Details } from "../parts/Details.tsx";
import { Frame } from "../parts/Frame.tsx";
import { Note } from "../parts/Note.tsx";
import { Warnings } from "../parts/Notice.tsx";
import type { ExchangesPayload, JsonValue, Row } from "../wire.ts";
import { same } from "../words.ts";
import { buttonLabels } from "./buttonLabels.ts";
import { cellEdits, reasonOf, rowsArgument, typedCells, verdictOf, type Verdict } from "./rows.ts";
import { RowView, type RowActions } from "./RowView.tsx";
import { filterRows, RowFilter, type Kept } from "./RowFilter.tsx";

const NOTHING_WRONG: ReadonlyMap<string, string> = new Map();
const NOTHING_TYPED = {};
/** A longer table scrolls in its own container, so that the buttons stay near. */
const MANY_ROWS = 20;

export function ExchangesCard(card: CardProps<ExchangesPayload>) {
  const { payload, meta, draft } = card;
  const { rows } = payload;
  const words = buttonWords(payload.approval_options);
  const say = buttonLabels([payload.title, payload.entity_summary ?? "", payload.message ?? ""], rows.length, words.approve);
  // If rows cannot be decided separately, approving one would mean nothing.
  const oneByOne = payload.rows_decidable !== false;
  const verdicts = rows.map((row) => (oneByOne ? verdictOf(draft, row) : "open"));
  const approved = rows.filter((_, i) => verdicts[i] === "approved");
  const leftOut = rows.filter((_, i) => verdicts[i] === "left_out");
  const open = rows.filter((_, i) => verdicts[i] === "open");
  const warned = rows.filter((row) => (row.warnings ?? []).length > 0);
  const edits = cellEdits(payload, draft);
  const besides = editsOf(payload, draft);
  const inputs = useRef(new Map<string, HTMLElement>());
  const fields = useMemo(() => rowsArgument(payload)?.fields ?? new Map(), [payload]);
  const [shown, setShown] = useState<{ kept: Kept; rows: Row[] }>({ kept: "all", rows });
  const [missing, setMissing] = useState<"nothing" | "decisions" | "values">("nothing");
  // Nothing decided and no warnings: one press approves everything, all of it on the screen.
  const allAtOnce = !oneByOne || (open.length === rows.length && warned.length === 0);
  const yes = allAtOnce ? rows : approved;

  function show(kept: Kept): void {
    setShown({ kept, rows: filterRows(rows, kept, (row) => verdictOf(draft, row)) });
  }

  function decideRows(verdict: Verdict, which: Row[]): void {
    const verdicts = { ...objectOf(draft, "rows") };
    for (const row of which) verdicts[row.row_id] = verdict;
    card.setDraft({ rows: verdicts });
  }

  // Rows get one stable object of callbacks, so that only a changed row renders again.
  const latest = useRef(card);
  latest.current = card;
  const actions = useMemo<RowActions>(
    () => ({
      inputs: inputs.current,
      decide({ row_id }, verdict) {
        latest.current.setDraft({ rows: { ...objectOf(latest.current.draft, "rows"), [row_id]: verdict } });
      },
      explain({ row_id }, why) {
        latest.current.setDraft({ row_reasons: { ...objectOf(latest.current.draft, "row_reasons"), [row_id]: why } });
      },
      change({ row_id }, field, value) {
        const cells = typedCells(latest.current.payload, latest.current.draft);
        latest.current.setDraft({ cells: { ...cells, [row_id]: { ...objectOf(cells, row_id), [field.name]: value } } });
      },
    }),
    [],
  );

  function mayApprove(): boolean {
    // Rows with errors must be visible.
    show("all");
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
          ...(oneByOne ? { approved_rows: yes.map((row) => row.row_id) } : {}),
          ...(leftOut.length === 0 ? {} : { rejected_rows: rejected }),
          ...(changes.length === 0 ? {} : { edits: { ...besides.values, ...edits.edits } }),
        },
        always: isAlways(card) && leftOut.length === 0,
      }),
    );
  }

  const changes = [
    ...Object.entries(besides.values).map(([path, after]) => ({ path, before: originalOf(payload, path) ?? null, after })),
    ...edits.changed.map(({ row, key, before, after }) => ({ path: `rows/${row.row_id}/${key}`, before, after })),
  ];
  const cells = typedCells(payload, draft);
  const counts = { all: rows.length, warned: warned.length, open: open.length, left_out: leftOut.length };
  const isLong = rows.length > MANY_ROWS;
  const unwarned = rows.filter((row) => !warned.includes(row) && verdictOf(draft, row) === "open");
  const hasErrors = ({ row_id }: Row) => [...edits.errors.keys()].some((path) => path.startsWith(`${row_id}/`));
  const isNumbers = (key: string) => rows.every((row) => typeof row.values[key] === "number");
  /** Whether the rows say all that this value says. */
  const isWholeTable = (value: JsonValue) =>
    Array.isArray(value) &&
    value.length === rows.length &&
    rows.every(({ values }, i) => Object.entries(value[i] ?? {}).every(([key, one]) => same(one, values[key])));

  return (
    <Frame
      card={card}
      title={payload.title}
      lead={payload.message ?? payload.agent_message}
      tone="ask"
      chip={t("Needs your answer")}
      context={payload.context}
    >
      <Refused payload={payload} />
      <Changes heading={t("What changed since the last proposal")} changes={payload.changes ?? []} />
      <UnderApproval card={card} errors={missing === "values" ? besides.errors : new Map()} inputs={inputs.current} isElsewhere={isWholeTable} />
      <div className="sy-body">
        {oneByOne && <RowFilter rows={rows} counts={counts} kept={shown.kept} onKeep={show} />}
        <div className="sy-rows" {...(isLong ? { role: "region", "aria-label": t("Rows: {title}", { title: payload.title }), tabIndex: 0, "data-long": true } : {})}>
          <table className="sy-table">
            <caption>
              {oneByOne
                ? t("{n, plural, one {# row} other {# rows}}: {approved} approved, {left} excluded, {open} still open", {
                    n: rows.length,
                    approved: approved.length,
                    left: leftOut.length,
                    open: open.length,
                  })
                : t("{n, plural, one {# row} other {# rows}}: approved or rejected together", { n: rows.length })}
            </caption>
            <thead>
              <tr>
                {payload.columns.map((column) => <th scope="col" key={column.key} {...(isNumbers(column.key) ? { "data-is": "number" } : {})}>{column.label}</th>)}
                {oneByOne && <th scope="col">{t("Decision")}</th>}
              </tr>
            </thead>
            <tbody>
              {(shown.kept === "all" ? rows : shown.rows).map((row) => (
                <RowView
                  key={row.row_id}
                  row={row}
                  isDecided={oneByOne}
                  columns={payload.columns}
                  fields={fields}
                  verdict={oneByOne ? verdictOf(draft, row) : "open"}
                  verb={say.verb}
                  reason={reasonOf(draft, row)}
                  typed={cells[row.row_id] as typeof NOTHING_TYPED | undefined ?? NOTHING_TYPED}
                  isMissing={missing === "decisions" && verdictOf(draft, row) === "open"}
                  errors={missing === "values" && hasErrors(row) ? edits.errors : NOTHING_WRONG}
                  actions={actions}
                />
              ))}
            </tbody>
          </table>
        </div>
      </div>
      <Changes heading={t("Changed by you")} changes={changes} />
      <Warnings impact={payload.impact} warnings={payload.warnings} />
      <WhoActs payload={payload} changes={changes.length} />
      {leftOut.length === 0 && <Always card={card} />}
      <Note card={card} />
      <Details values={approvalDetails(payload, meta)} />
      <Decision
        card={card}
        approveLabel={say.button(yes.length)}
        rejectLabel={leftOut.length === rows.length ? t("Exclude all") : t("{verb} all", { verb: words.reject })}
        reasonRequired={payload.requires_reason ?? true}
        mayApprove={() => mayApprove() && yes.length > 0}
        onApprove={approveRows}
        {...(payload.final_confirmation === true
          ? {
              review: (
                <>
                  <p>{say.button(yes.length)}.</p>
                  <Warnings impact={payload.impact} />
                  <Changes heading={t("Changed by you")} changes={changes} />
                </>
              ),
            }
          : {})}
      >
        {oneByOne && warned.length > 0 && warned.length < rows.length && open.length > 0 && (
          <Button look="quiet" sending={isSending(card.state)} onPress={() => decideRows("approved", unwarned)}>
            {t("Approve all without warnings")}
          </Button>
        )}
      </Decision>
    </Frame>
  );
}
