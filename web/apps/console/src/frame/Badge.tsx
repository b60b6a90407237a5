// How many things wait: a visible number with a spoken label.
import { t } from "@sayso/core";

export function Badge({ waiting }: { waiting: number }) {
  return (
    <span className="badge">
      <span aria-hidden="true">{waiting}</span>
      <span className="unseen"> {t("{n, plural, one {# waits for an answer} other {# wait for an answer}}", { n: waiting })}</span>
    </span>
  );
}
