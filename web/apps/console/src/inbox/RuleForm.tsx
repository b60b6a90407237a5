// A rule written from a card: tried on what people decided before, then kept by a press of its own.
import { labelOf, plain } from "@sayso/cards";
import { type Interaction, type JsonObject, type JsonValue, type NewRule, Problem, type Similar, t, type Trial } from "@sayso/core";
import { useEffect, useState } from "react";
import { announce } from "../frame/announce.tsx";
import { Link, pathTo } from "../router.tsx";
import { tryRule, verdictWords, writeRule } from "./rules.ts";

type Test = "any" | "eq" | "le" | "ge";
type Tests = Record<string, { test: Test; bound: string }>;

/** Longer texts are no kind of call. */
const LONGEST = 80;
/** Ask the server once the hands rest. */
const REST_MS = 300;

export function RuleForm({ interaction, similar }: { interaction: Interaction; similar: Similar }) {
  const given = (interaction.payload["tool_params"] ?? {}) as JsonObject;
  const names = Object.keys(given).filter((name) => isComparable(given[name]));
  const [then, setThen] = useState<NewRule["then"]>("allow");
  const [tests, setTests] = useState<Tests>(() => narrow(given, names, similar));
  const [days, setDays] = useState("");
  const [came, setCame] = useState<{ of: string; trial?: Trial; problem?: string } | null>(null);
  const [step, setStep] = useState<"trying" | "keeping" | "kept">("trying");
  const rule: NewRule = { interaction_id: interaction.interaction_id, then, when: conditions(given, tests) };
  const asked = JSON.stringify(rule);
  // What came of another rule says nothing of this one.
  const { trial, problem } = came?.of === asked ? came : {};

  useEffect(() => {
    let isOver = false;
    const timer = setTimeout(() => {
      tryRule(rule).then(
        (tried) => {
          if (!isOver) setCame({ of: asked, trial: tried });
        },
        (error: unknown) => {
          if (!(error instanceof Problem)) throw error;
          if (!isOver) setCame({ of: asked, problem: error.detail });
        },
      );
    }, REST_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [asked]);

  async function keep() {
    setStep("keeping");
    try {
      const ends_at = days === "" ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString();
      await writeRule({ ...rule, ends_at });
      setStep("kept");
      announce(t("The rule applies from now on."));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setStep("trying");
      setCame({ of: asked, problem: error.detail });
      announce(error.detail, "assertive");
    }
  }

  if (step === "kept") {
    return (
      <p className="in-kept" tabIndex={-1} ref={(place) => place?.focus()}>
        {t("The rule applies from now on.")} {t("This request still waits for you.")}{" "}
        <Link to={pathTo.preferences}>{t("All rules")}</Link>
      </p>
    );
  }
  const set = (name: string, change: Partial<Tests[string]>) => setTests({ ...tests, [name]: { ...tests[name]!, ...change } });
  return (
    <form
      className="in-rule"
      aria-label={t("Write a rule")}
      onSubmit={(event) => {
        event.preventDefault();
        if (trial !== undefined && step === "trying") void keep();
      }}
    >
      <label>
        <span>{t("Calls of {tool} by {agent}", { tool: similar.tool_name, agent: interaction.agent_name })}</span>
        <select value={then} onChange={(event) => setThen(event.currentTarget.value as NewRule["then"])}>
          <option value="allow">{verdictWords("allow")}</option>
          <option value="deny">{verdictWords("deny")}</option>
          <option value="ask">{verdictWords("ask")}</option>
        </select>
      </label>
      {names.map((name) => (
        <fieldset key={name}>
          <legend>{labelOf(name)}</legend>
          <select aria-label={labelOf(name)} value={tests[name]!.test} onChange={(event) => set(name, { test: event.currentTarget.value as Test })}>
            <option value="any">{t("anything")}</option>
            <option value="eq">{t("exactly")}</option>
            {typeof given[name] === "number" && (
              <>
                <option value="le">{t("up to")}</option>
                <option value="ge">{t("at least")}</option>
              </>
            )}
          </select>
          {tests[name]!.test !== "any" && (
            <input
              aria-label={t("{name}: which", { name: labelOf(name) })}
              required
              readOnly={typeof given[name] === "boolean"}
              {...(typeof given[name] === "number" ? { type: "number", step: "any" } : { dir: "auto" as const })}
              value={tests[name]!.bound}
              onChange={(event) => set(name, { bound: event.currentTarget.value })}
            />
          )}
        </fieldset>
      ))}
      <label>
        <span>{t("Applies")}</span>
        <select value={days} onChange={(event) => setDays(event.currentTarget.value)}>
          <option value="">{t("until somebody revokes it")}</option>
          <option value="1">{t("for a day")}</option>
          <option value="7">{t("for a week")}</option>
          <option value="30">{t("for 30 days")}</option>
        </select>
      </label>
      <div aria-live="polite" className="in-trial">
        {problem !== undefined ? <p className="in-problem">{problem}</p> : trial === undefined ? <p>{t("Trying it on what was decided…")}</p> : <Tried trial={trial} then={then} />}
      </div>
      <button className="button" disabled={trial === undefined || step === "keeping"}>{t("Keep this rule")}</button>
    </form>
  );
}

function Tried({ trial, then }: { trial: Trial; then: NewRule["then"] }) {
  const { days, decided, matched, agreed, mine, against } = trial;
  const counts = { days, decided, matched, agreed, mine };
  return (
    <>
      <p>
        {then === "allow"
          ? t("Of the {decided} requests of the last {days} days it would have allowed {matched}: {agreed} were approved without changes, {mine} by you.", counts)
          : then === "deny"
            ? t("Of the {decided} requests of the last {days} days it would have denied {matched}: {agreed} were rejected, {mine} by you.", counts)
            : t("Of the {decided} requests of the last {days} days it would have left {matched} to people.", counts)}
      </p>
      {against > 0 && (
        <>
          <p className="in-against">{t("People decided {against} of these otherwise:", { against })}</p>
          <ul>
            {trial.contradictions.map((one) => (
              <li key={one.interaction_id}>
                <Link to={pathTo.interaction(one.interaction_id)}>
                  <bdi>{one.title}</bdi>
                </Link>{" "}
                {decisionWords(one.decision, one.by)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** As narrow as this very call; where something is measured, as wide as what was decided of it. */
function narrow(given: JsonObject, names: string[], { argument, at_most }: Similar): Tests {
  const isMeasured = argument !== null && at_most !== null;
  return Object.fromEntries(
    names.map((name) => [
      name,
      name === argument && at_most !== null
        ? { test: "le" as const, bound: String(at_most) }
        : { test: isMeasured ? ("any" as const) : ("eq" as const), bound: typeof given[name] === "string" ? given[name] : plain(given[name]) },
    ]),
  );
}

function conditions(given: JsonObject, tests: Tests): JsonObject {
  return Object.fromEntries(
    Object.entries(tests)
      .filter(([, { test }]) => test !== "any")
      .map(([name, { test, bound }]) => [name, { [test]: typeof given[name] === "number" ? Number(bound) : typeof given[name] === "boolean" ? given[name] : bound }]),
  );
}

function isComparable(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return value.length <= LONGEST && !value.includes("•••");
  return typeof value === "number" || typeof value === "boolean";
}

function decisionWords(decision: Trial["contradictions"][number]["decision"], by: string): string {
  switch (decision) {
    case "approved":
      return t("approved by {by}", { by });
    case "changed":
      return t("approved with changes by {by}", { by });
    case "rejected":
      return t("rejected by {by}", { by });
  }
}
