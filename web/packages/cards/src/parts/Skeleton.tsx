// What stands where code is still on its way: quiet lines, as many as there will be; or that it did not come.
import { t } from "@sayso/core";

/** More would only be scrolled past. */
const MOST_LINES = 24;

export function Skeleton({ lines }: { lines: number }) {
  return (
    <div className="sy-skeleton" role="img" aria-label={t("Loading…")}>
      {Array.from({ length: Math.min(lines, MOST_LINES) }, (_, i) => <span key={i} />)}
    </div>
  );
}

export function NotLoaded({ again }: { again: () => void }) {
  return (
    <div className="sy-notice" data-tone="bad">
      <p>
        <span aria-hidden="true">✕ </span>
        <b>{t("This part of the page could not be loaded.")}</b> {t("What you entered is still here.")}
      </p>
      <p className="sy-actions">
        <button type="button" className="sy-button" data-look="stand" onClick={again}>{t("Try again")}</button>
      </p>
    </div>
  );
}
