// A skeleton while code loads, with about as many lines as the content; or a notice that loading failed.
import { t } from "@sayso/core";

/** More lines would be off the screen anyway. */
const MAX_LINES = 24;

export function Skeleton({ lines }: { lines: number }) {
  return (
    <div className="sy-skeleton" role="img" aria-label={t("Loading…")}>
      {Array.from({ length: Math.min(lines, MAX_LINES) }, (_, i) => <span key={i} />)}
    </div>
  );
}

export function NotLoaded({ retry }: { retry: () => void }) {
  return (
    <div className="sy-notice" data-tone="bad">
      <p>
        <span aria-hidden="true">✕ </span>
        <b>{t("This part of the page could not be loaded.")}</b> {t("What you entered is still here.")}
      </p>
      <p className="sy-actions">
        <button type="button" className="sy-button" data-look="stand" onClick={retry}>{t("Try again")}</button>
      </p>
    </div>
  );
}
