// What is selected in the inbox: how many, what they come to, and what can be done with all of them at once.
import { cardMetaOf, type Interaction, t } from "@sayso/core";
import { totalOf } from "./totals.ts";
import type { Twins } from "./twins.ts";

/** The server's limit. */
const MAX_BULK = 100;

interface Props {
  rows: readonly Interaction[];
  selected: readonly Interaction[];
  twins: Twins;
  choose: (interactionIds: readonly string[]) => void;
  approve: () => void;
  reject: () => void;
}

export function Selection({ rows, selected, twins, choose, approve, reject }: Props) {
  const together = rows.filter(isBulk).slice(0, MAX_BULK);
  const alone = selected.filter((row) => !isBulk(row)).length;
  const same = selected.filter((row) => twins.has(row.interaction_id)).length;
  if (together.length < 2 && selected.length === 0) return null;
  const areAllChosen = together.length > 0 && together.every((row) => selected.includes(row));
  return (
    <div className="in-bulk" data-chosen={selected.length > 0 ? "" : undefined}>
      {together.length > 1 && (
        <label>
          <input
            type="checkbox"
            checked={areAllChosen}
            onChange={(event) => choose(event.currentTarget.checked ? together.map((row) => row.interaction_id) : [])}
          />
          {t("Choose all {n} that may be approved together", { n: together.length })}
        </label>
      )}
      {selected.length > 0 && (
        <>
          <p>
            <b>{t("{n} selected", { n: selected.length })}</b>
            <Parts
              parts={[
                totalOf(selected),
                same > 0 ? t("{n, plural, one {# repeats another} other {# repeat others}}", { n: same }) : null,
                alone > 0 ? t("{n, plural, one {# must be approved by itself} other {# must be approved one by one}}", { n: alone }) : null,
              ]}
            />
          </p>
          <div className="row">
            <button type="button" className="button" onClick={reject}>
              {t("Reject {n}…", { n: selected.length })}
            </button>
            {alone === 0 && selected.length <= MAX_BULK && (
              <button type="button" className="button go" onClick={approve}>
                {t("Review and approve {n}…", { n: selected.length })}
              </button>
            )}
          </div>
        </>
      )}
    </div>
  );
}

function Parts({ parts }: { parts: readonly (string | null)[] }) {
  return parts.filter((part) => part !== null).map((part) => <span key={part}> · {part}</span>);
}

function isBulk(row: Interaction): boolean {
  return row.status === "pending" && cardMetaOf(row.payload).bulk === true;
}
