// A list that could not be loaded: what happened, in the server's words, and the way on.
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

/** Rows on their way, in the shape they will have. */
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
