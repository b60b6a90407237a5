// Approves several proposals in one step, where a policy allows it: each is shown in full before, and its outcome after.
import { cardBodyOf, cardMetaOf, type Interaction, Problem, t } from "@sayso/core";
import { answer, Values } from "@sayso/cards";
import { useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { agentName } from "../words.ts";
import { valuesUnderApproval } from "./summary.ts";

interface Props {
  chosen: readonly Interaction[];
  leaveOut: (interactionId: string) => void;
  /** Called before sending, so that these settlements are not announced. */
  onAnswering: (interactionId: string) => void;
  /** Called after the server has answered for each. */
  onDone: (interactionIds: readonly string[]) => Promise<void>;
  close: () => void;
}

interface Result {
  title: string;
  /** Why it was not approved; null if it was. */
  why: string | null;
}

type Step = { at: "reading" } | { at: "sending" } | { at: "done"; results: readonly Result[] };

export function BulkApproval({ chosen, leaveOut, onAnswering, onDone, close }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const [step, setStep] = useState<Step>({ at: "reading" });
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    dialog.current?.showModal();
    heading.current?.focus();
  }, []);
  useEffect(() => {
    if (step.at === "done") heading.current?.focus();
    if (step.at === "reading" && chosen.length === 0) close();
  }, [step.at, chosen.length]);

  async function approve() {
    if (step.at !== "reading") return;
    const asked = chosen.map((it) => ({ id: it.interaction_id, title: it.title, action: answer(cardMetaOf(it.payload), { approved: true }) }));
    setStep({ at: "sending" });
    setProblem(null);
    for (const { id } of asked) onAnswering(id);
    try {
      const answers = asked.flatMap(({ id, action }) => (action.type === "answer" ? [{ id, body: action.body }] : []));
      const results = await api.answerAll(answers);
      const outcomes = results.map(({ interaction_id, problem: not }) => ({
        title: asked.find(({ id }) => id === interaction_id)?.title ?? interaction_id,
        why: not === undefined ? null : not.detail,
      }));
      await onDone(results.map(({ interaction_id }) => interaction_id));
      setStep({ at: "done", results: outcomes });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error.detail);
      setStep({ at: "reading" });
    }
  }

  return (
    <dialog ref={dialog} className="bulk" aria-labelledby="bulk-title" onClose={close}>
      <h2 id="bulk-title" ref={heading} tabIndex={-1}>
        {step.at === "done"
          ? resultWords(step.results)
          : t("{n, plural, one {Approve # proposal} other {Approve # proposals}}", { n: chosen.length })}
      </h2>
      {step.at === "done" ? (
        <>
          <ul className="bulk-list">
            {step.results.map(({ title, why }, at) => (
              <li key={at} data-tone={why === null ? "ok" : "bad"}>
                <b dir="auto">{title}</b> <span>{why === null ? t("approved") : why}</span>
              </li>
            ))}
          </ul>
          <div className="row bulk-foot">
            <button type="button" className="button" onClick={() => dialog.current?.close()}>
              {t("Close")}
            </button>
          </div>
        </>
      ) : (
        <>
          <p className="quiet">{t("Each of them runs as it stands here. Leave out what you want to look at alone.")}</p>
          <ol className="bulk-list">
            {chosen.map((it) => (
              <li key={it.interaction_id}>
                <One interaction={it} />
                <button type="button" className="link" onClick={() => leaveOut(it.interaction_id)}>
                  {t("Exclude")}
                  <span className="unseen">: {it.title}</span>
                </button>
              </li>
            ))}
          </ol>
          {/* The page's own regions are silent while a dialog is over them. */}
          <p className="in-problem" role="alert">
            {problem !== null && t("Not sent. {why}", { why: problem })}
          </p>
          <div className="row bulk-foot">
            <button type="button" className="button go" aria-disabled={step.at === "sending"} onClick={() => void approve()}>
              {step.at === "sending"
                ? t("Sending…")
                : t("{n, plural, one {Approve # proposal} other {Approve # proposals}}", { n: chosen.length })}
            </button>
            <button type="button" className="button" onClick={() => dialog.current?.close()}>
              {t("Back")}
            </button>
          </div>
        </>
      )}
    </dialog>
  );
}

function One({ interaction }: { interaction: Interaction }) {
  const body = cardBodyOf(interaction.payload);
  const card = body.kind === "approval" ? body.fields : null;
  const lead = (card?.message ?? "").trim();
  return (
    <div className="bulk-one">
      <h3 dir="auto">{interaction.title}</h3>
      <p className="quiet">{agentName(interaction.agent_name)}</p>
      {lead !== "" && lead !== interaction.title && <p dir="auto">{lead}</p>}
      {valuesUnderApproval(interaction).map(({ heading, values }) => (
        <div key={heading}>
          {heading !== "" && <h4>{heading}</h4>}
          <Values values={values} />
        </div>
      ))}
      {card?.impact != null && <p className="notice">{card.impact}</p>}
      {Object.keys(card?.context ?? {}).length > 0 && <Values values={card?.context ?? {}} />}
    </div>
  );
}

function resultWords(results: readonly Result[]): string {
  const failed = results.filter(({ why }) => why !== null).length;
  const done = results.length - failed;
  return failed === 0
    ? t("{n, plural, one {# proposal approved} other {# proposals approved}}", { n: done })
    : t("{done} approved, {failed} not", { done, failed });
}
