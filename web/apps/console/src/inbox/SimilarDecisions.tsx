// Why one is asked: what was decided of calls like this one, and a rule to be written from it.
import { labelOf } from "@sayso/cards";
import { type CardMeta, type Interaction, Problem, type Similar, t } from "@sayso/core";
import { useEffect, useId, useState } from "react";
import { api } from "../browser.ts";
import { describeError } from "../frame/hooks.ts";
import { lazyPart } from "../frame/lazyComponent.tsx";

const RuleForm = lazyPart(() => import("./RuleForm.tsx"), (file) => file.RuleForm);

export function SimilarDecisions({ interaction }: { interaction: Interaction }) {
  const id = useId();
  const [atMost, setAtMost] = useState<number | undefined>();
  const [argument, setArgument] = useState<string | undefined>();
  const [found, setFound] = useState<{ days: number; similar: Similar | null } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isWriting, setWriting] = useState(false);

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
      {mayBeRuled(interaction) && (
        <button type="button" className="button" aria-expanded={isWriting} onClick={() => setWriting(!isWriting)}>
          {t("Write a rule")}…
        </button>
      )}
      {isWriting && <RuleForm interaction={interaction} similar={similar} />}
    </div>
  );
}

/** Whether the server says that a rule may answer cards like this one. */
function mayBeRuled({ card, payload }: Interaction): boolean {
  const meta = payload["sayso"] as CardMeta | undefined;
  const warnings = (payload["warnings"] ?? []) as string[];
  return meta?.rule?.may_be_ruled === true && card === "approval" && warnings.length === 0;
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
