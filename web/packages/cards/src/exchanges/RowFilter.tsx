// Filters the rows of a long table. It decides nothing.
import { t } from "@sayso/core";
import { useId } from "react";
import type { Row } from "../wire.ts";
import type { Verdict } from "./rows.ts";

export type Kept = "all" | "warned" | "open" | "left_out";

/** A shorter table needs no filter. */
const FEW_ROWS = 8;

interface Props {
  rows: Row[];
  counts: Record<Kept, number>;
  kept: Kept;
  onKeep: (kept: Kept) => void;
}

export function RowFilter({ rows, counts, kept, onKeep }: Props) {
  const id = useId();
  if (rows.length <= FEW_ROWS) return null;
  const words: Record<Kept, string> = {
    all: t("All rows ({n})", { n: counts.all }),
    warned: t("With a warning ({n})", { n: counts.warned }),
    open: t("Still open ({n})", { n: counts.open }),
    left_out: t("Excluded ({n})", { n: counts.left_out }),
  };
  return (
    <fieldset className="sy-sieve">
      <legend className="sy-hidden">{t("Which rows to show")}</legend>
      {(["all", "warned", "open", "left_out"] as const).map((which) => (
        <label key={which}>
          <input type="radio" name={id} checked={kept === which} onChange={() => onKeep(which)} />
          <span>{words[which]}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Return the rows that match now; a row decided later stays visible until the filter changes. */
export function filterRows(rows: Row[], kept: Kept, verdictOf: (row: Row) => Verdict): Row[] {
  switch (kept) {
    case "all":
      return rows;
    case "warned":
      return rows.filter((row) => (row.warnings ?? []).length > 0);
    default:
      return rows.filter((row) => verdictOf(row) === kept);
  }
}
