// A list that could not be loaded: the server's explanation and a retry.
import { t } from "@sayso/core";
import type { Problem } from "@sayso/core";

export function Failed({ problem, again }: { problem: Problem; again: () => void }) {
  return (
    <div className="notice row">
      <p>{[problem.detail, problem.fix].filter(Boolean).join(" ")}</p>
      <button type="button" className="button" onClick={again}>
        {t("Try again")}
      </button>
    </div>
  );
}

/** A skeleton of the rows while they load. */
export function RowsSkeleton() {
  return (
    <>
      <p className="unseen">{t("Loading…")}</p>
      <div className="rows-skeleton" aria-hidden="true">
        <i />
        <i />
        <i />
      </div>
    </>
  );
}
