// The one reason for all that is rejected in one step.
import { t } from "@sayso/core";
import type { RefObject } from "react";

interface Props {
  reason: string;
  setReason: (reason: string) => void;
  isRequired: boolean;
  /** It was pressed without one. */
  isMissing: boolean;
  boxRef: RefObject<HTMLTextAreaElement | null>;
}

export function Reason({ reason, setReason, isRequired, isMissing, boxRef }: Props) {
  const isWrong = isMissing && isRequired && reason.trim() === "";
  return (
    <div className="in-reject">
      <label htmlFor="bulk-reason">
        {t("Reason for rejecting")} <span className="quiet">{isRequired ? t("(required)") : t("(optional)")}</span>
      </label>
      {isWrong && (
        <p className="in-problem" id="bulk-reason-error">
          {t("Add a reason; the agents will use it.")}
        </p>
      )}
      <textarea
        id="bulk-reason"
        ref={boxRef}
        dir="auto"
        rows={2}
        aria-required={isRequired}
        aria-invalid={isWrong}
        {...(isWrong ? { "aria-describedby": "bulk-reason-error" } : {})}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </div>
  );
}
