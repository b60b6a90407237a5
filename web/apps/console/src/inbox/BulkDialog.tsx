// The dialog in which several cards are answered in one step: what is about to be sent, and afterwards what became of each.
import { cardMetaOf, type Interaction, Problem, t } from "@sayso/core";
import { answer } from "@sayso/cards";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";

export interface BulkProps {
  chosen: readonly Interaction[];
  leaveOut?: (interactionId: string) => void;
  /** Called before sending, so that these settlements are not announced. */
  onAnswering: (interactionId: string) => void;
  /** Called after the server has answered for each. */
  onDone: (interactionIds: readonly string[]) => Promise<void>;
  close: () => void;
}

interface Given {
  approved: boolean;
  reason?: string;
}

interface Result {
  title: string;
  /** Why it was not settled so; null if it was. */
  why: string | null;
}

type Step = { at: "reading" } | { at: "sending" } | { at: "done"; results: readonly Result[] };

interface Props extends BulkProps {
  /** "Approve 3 proposals": the heading, and the button that sends. */
  act: string;
  lead: string;
  /** "approved", for the list of results. */
  done: string;
  /** "3 proposals approved" and, where some were not, "2 approved, 1 not". */
  resultWords: (done: number, failed: number) => string;
  /** What answers each of them, where it gets an answer at all; null while something is missing. */
  answerNow: () => ((interaction: Interaction) => Given | undefined) | null;
  isGo?: boolean;
  one: (interaction: Interaction) => ReactNode;
  children?: ReactNode;
}

export function BulkDialog({ chosen, leaveOut, onAnswering, onDone, close, ...says }: Props) {
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

  async function send() {
    if (step.at !== "reading") return;
    const answerTo = says.answerNow();
    if (answerTo === null) return;
    const asked = chosen.flatMap((it) => {
      const given = answerTo(it);
      return given === undefined ? [] : [{ id: it.interaction_id, title: it.title, action: answer(cardMetaOf(it.payload), given) }];
    });
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
        {step.at === "done" ? wordsFor(step.results, says.resultWords) : says.act}
      </h2>
      {step.at === "done" ? (
        <>
          <ul className="bulk-list">
            {step.results.map(({ title, why }, at) => (
              <li key={at} data-tone={why === null ? "ok" : "bad"}>
                <b dir="auto">{title}</b> <span>{why ?? says.done}</span>
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
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <p className="quiet">{says.lead}</p>
          <ol className="bulk-list">
            {chosen.map((it) => (
              <li key={it.interaction_id}>
                {says.one(it)}
                {leaveOut !== undefined && (
                  <button type="button" className="link" onClick={() => leaveOut(it.interaction_id)}>
                    {t("Exclude")}
                    <span className="unseen">: {it.title}</span>
                  </button>
                )}
              </li>
            ))}
          </ol>
          {says.children}
          {/* The page's own regions are silent while a dialog is over them. */}
          <p className="in-problem" role="alert">
            {problem !== null && t("Not sent. {why}", { why: problem })}
          </p>
          <div className="row bulk-foot">
            <button className={says.isGo === true ? "button go" : "button"} aria-disabled={step.at === "sending"}>
              {step.at === "sending" ? t("Sending…") : says.act}
            </button>
            <button type="button" className="button" onClick={() => dialog.current?.close()}>
              {t("Back")}
            </button>
          </div>
        </form>
      )}
    </dialog>
  );
}

function wordsFor(results: readonly Result[], say: Props["resultWords"]): string {
  const failed = results.filter(({ why }) => why !== null).length;
  return say(results.length - failed, failed);
}
