// Why sending failed and what to do; it takes the focus, since it answers the last press.
import { t } from "@sayso/core";
import { useFocusIfStillHere } from "../focus.ts";
import type { ProblemWords } from "../wire.ts";

export function ProblemNotice({ problem }: { problem: ProblemWords }) {
  const ref = useFocusIfStillHere<HTMLDivElement>();
  return (
    <div className="sy-notice" data-tone="bad" ref={ref} tabIndex={-1}>
      <p>
        <span aria-hidden="true">✕ </span>
        <b>{problem.title}.</b> {problem.detail}
      </p>
      {problem.fix !== undefined && problem.fix !== "" && <p>{problem.fix}</p>}
      {problem.errors !== undefined && problem.errors.length > 0 && (
        <ul>
          {problem.errors.map((error, i) => (
            <li key={i}><code>{error.path}</code> {error.message}</li>
          ))}
        </ul>
      )}
      <p className="sy-quiet">{t("What you entered is still here.")}</p>
    </div>
  );
}
