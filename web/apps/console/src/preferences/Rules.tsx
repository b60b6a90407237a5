// The rules that people wrote from cards: what each does, how often it did, and its end.
import { clock, plain } from "@sayso/cards";
import { Problem, type StandingRule, t } from "@sayso/core";
import { useEffect, useRef, useState } from "react";
import { announce } from "../frame/announce.tsx";
import { Failed } from "../frame/Failed.tsx";
import { allRules, revokeRule, verdictWords } from "../inbox/rules.ts";
import { Link, pathTo } from "../router.tsx";

export function Rules() {
  const [rules, setRules] = useState<readonly StandingRule[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const place = useRef<HTMLDivElement>(null);

  async function attempt(work: () => Promise<void>) {
    try {
      await work();
      setProblem(null);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  }
  const load = () => attempt(async () => setRules((await allRules()).filter((rule) => rule.holds)));
  useEffect(() => void load(), []);

  const revoke = (rule: StandingRule) =>
    attempt(async () => {
      await revokeRule(rule.id);
      await load();
      announce(t("{tool} asks again from now on", { tool: rule.tool_name }));
      // The pressed button is gone.
      place.current?.focus();
    });

  return (
    <div ref={place} tabIndex={-1}>
      {problem !== null && <Failed problem={problem} again={() => void load()} />}
      {rules === null && problem === null && <p className="quiet">{t("Loading…")}</p>}
      {rules?.length === 0 && <p className="quiet">{t("None. A rule is written from a card in the inbox, beside its similar decisions.")}</p>}
      <ul className="allowed">
        {rules?.map((rule) => (
          <li key={rule.id}>
            <span>
              {t("Calls of {tool} by {agent}", { tool: rule.tool_name, agent: rule.agent_name })}{" "}
              <b>{verdictWords(rule.then)}</b>
              {Object.keys(rule.conditions).length > 0 && <> · <bdi>{plain(rule.conditions)}</bdi></>}
              <br />
              <span className="quiet">
                <Link to={pathTo.chat(rule.chat_id)}>{t("written by {who}, {at}", { who: rule.written_by, at: clock(rule.written_at, new Date()) })}</Link>
                {rule.ends_at !== null && ` · ${t("until {at}", { at: clock(rule.ends_at, new Date()) })}`}
                {` · ${t("used {count, plural, one {# time} other {# times}}", { count: rule.uses })}`}
              </span>
            </span>
            <button type="button" className="button" onClick={() => void revoke(rule)}>
              {t("Revoke")}
              <span className="unseen">: {rule.tool_name}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
