// Why the tool refused the last answer to this card, in its own words, shown first.
import { fieldErrors, t } from "@sayso/core";
import { Notice } from "../parts/Notice.tsx";
import type { FieldError } from "../schema/inputs.ts";
import type { ApprovalPayload, ProblemWords } from "../wire.ts";
import { errorsUnder } from "../schema/SchemaForm.tsx";

export function Refused({ payload }: { payload: ApprovalPayload }) {
  return (
    <>
      {fieldErrors(payload.errors).map((error, i) => (
        <Notice key={i} tone="bad" word={t("Nothing was done")}>{error.message}</Notice>
      ))}
    </>
  );
}

/** Return the errors of the edits: the server's, else those the tool reported before. */
export function refusedEdits(payload: ApprovalPayload, problem: ProblemWords | undefined): FieldError[] {
  return errorsUnder(problem ?? { errors: fieldErrors(payload.errors) }, "edits");
}
