// What this person chose last where they were asked: marked when the same is asked again, and forgotten here.
import { Problem, type Remembered as Line, t } from "@sayso/core";
import { useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { Failed } from "../frame/Failed.tsx";
import { Link, pathTo } from "../router.tsx";

export function Remembered() {
  const [lines, setLines] = useState<readonly Line[] | null>(null);
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
  const load = () => attempt(async () => setLines(await api.lastChoices()));
  useEffect(() => void load(), []);

  const forget = () =>
    attempt(async () => {
      await api.forgetChoices();
      setLines([]);
      announce(t("Forgotten"));
      // The pressed button is gone.
      place.current?.focus();
    });

  return (
    <div ref={place} tabIndex={-1}>
      {problem !== null && <Failed problem={problem} again={() => void load()} />}
      {lines === null && problem === null && <p className="quiet">{t("Loading…")}</p>}
      {lines?.length === 0 && <p className="quiet">{t("None. Questions come with nothing chosen.")}</p>}
      {lines !== null && lines.length > 0 && (
        <>
          <p className="quiet">{t("When the same is asked again, your last answer is chosen beforehand. You still send it yourself. Approvals are never filled in.")}</p>
          <ul className="allowed">
            {lines.map((line) => (
              <li key={line.interaction_id}>
                <span>
                  <Link to={pathTo.chat(line.chat_id)}><bdi>{line.question}</bdi></Link>{" "}
                  <b><bdi>{line.chosen}</bdi></b>
                </span>
              </li>
            ))}
          </ul>
          <button type="button" className="button" onClick={() => void forget()}>{t("Forget these")}</button>
        </>
      )}
    </div>
  );
}
