// Why one is asked: what was decided of calls like this one, and a rule to ask less often, tried on them.
import { labelOf } from "@sayso/cards";
import { type Interaction, Problem, type Similar, t } from "@sayso/core";
import { useEffect, useId, useState } from "react";
import { api } from "../browser.ts";
import { describeError } from "../frame/hooks.ts";

export function SimilarDecisions({ interaction }: { interaction: Interaction }) {
  const id = useId();
  const [atMost, setAtMost] = useState<number | undefined>();
  const [argument, setArgument] = useState<string | undefined>();
  const [found, setFound] = useState<{ days: number; similar: Similar | null } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    let isOver = false;
    api.similar(interaction.interaction_id, atMost === undefined || argument === undefined ? {} : { argument, at_most: atMost }).then(
      (answer) => {
        if (isOver) return;
        setFound(answer);
        setProblem(null);
        setArgument((old) => old ?? answer.similar?.argument ?? undefined);
      },
      (error: unknown) => {
        if (!isOver) setProblem(error instanceof Problem ? error.detail : describeError(error).title);
      },
    );
    return () => void (isOver = true);
  }, [interaction.interaction_id, atMost]);

  if (problem !== null) return <p className="in-problem">{problem}</p>;
  if (found === null) return <p>{t("Loading…")}</p>;
  const { days, similar } = found;
  if (similar === null) return <p>{t("This is no call of a tool, so there is nothing to compare it with.")}</p>;
  return (
    <div className="in-similar">
      <p aria-live="polite">{summary(similar, days)}</p>
      {similar.argument !== null && (
        <label htmlFor={id}>
          {t("{name} up to", { name: labelOf(similar.argument) })}{" "}
          <input
            id={id}
            type="number"
            step="any"
            defaultValue={similar.at_most ?? undefined}
            onChange={(event) => {
              const bound = event.currentTarget.valueAsNumber;
              if (Number.isFinite(bound)) setAtMost(bound);
            }}
          />
        </label>
      )}
      {similar.rule !== null && <Offer similar={similar} rule={similar.rule} days={days} />}
    </div>
  );
}

function Offer({ similar, rule, days }: { similar: Similar; rule: string; days: number }) {
  const { would_allow: allowed, would_ask: asked } = similar;
  return (
    <>
      <p>
        {t("To be asked less often, whoever keeps the policy of this server can put this rule first in its file. Of the decisions of the last {days} days it would have allowed {allowed} without asking, and asked about {asked}.", { days, allowed, asked })}
      </p>
      <pre tabIndex={0}>{rule}</pre>
      <button type="button" className="button" onClick={() => void navigator.clipboard.writeText(rule)}>
        {t("Copy the rule")}
      </button>
    </>
  );
}

function summary({ argument, at_most, decided, approved, approved_by_me: mine }: Similar, days: number): string {
  if (decided === 0) return t("Nothing like this was decided in the last {days} days.", { days });
  const said =
    argument === null || at_most === null
      ? t("In the last {days} days, {approved} of {decided} like this were approved, {mine} of them by you.", { days, approved, decided, mine })
      : t("In the last {days} days, {approved} of {decided} with {name} up to {most} were approved, {mine} of them by you.", {
          days,
          approved,
          decided,
          mine,
          name: labelOf(argument),
          most: at_most,
        });
  return said;
}
