// Shown after a retry was accepted: its result appears further down, as a new run.
import { t } from "@sayso/core";
import type { ReactNode } from "react";
import { useFocusIfStillHere } from "../focus.ts";
import type { CardState } from "../state.ts";

export function Retrying({ state, children }: { state: CardState; children: ReactNode }) {
  return state.phase === "taken" ? <RetryingNote /> : <>{children}</>;
}

function RetryingNote() {
  const ref = useFocusIfStillHere<HTMLParagraphElement>();
  return (
    <p className="sy-note" ref={ref} tabIndex={-1}>
      <span aria-hidden="true">✓ </span>{t("Trying again. What comes of it is shown below in the chat.")}
    </p>
  );
}
