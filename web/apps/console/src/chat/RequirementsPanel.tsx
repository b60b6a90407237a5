// The requirements beside the chat: what is known for each action, its source and what is missing; edited in place.
import { type ActionRequirements, actionsOf, concernedOf, type JsonObject, lineOf, t } from "@sayso/core";
import { useId, useLayoutEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { describeError } from "../frame/hooks.ts";
import { RequirementRow } from "./RequirementRow.tsx";

interface Props {
  chatId: string;
  requirements: JsonObject;
}

export function RequirementsPanel({ chatId, requirements }: Props) {
  const actions = actionsOf(requirements);
  const concerned = new Set(concernedOf(actions).map((action) => action.name));
  return (
    <>
      {actions.map((action) => (
        <Known key={action.name} chatId={chatId} action={action} isConcerned={concerned.has(action.name)} />
      ))}
      <StartOver chatId={chatId} />
    </>
  );
}

/** Opened once the chat is about this action; then the reader decides. */
function Known({ chatId, action, isConcerned }: { chatId: string; action: ActionRequirements; isConcerned: boolean }) {
  const id = useId();
  const opened = useRef(isConcerned);
  opened.current ||= isConcerned;
  const words = t("{known} of {of} known", { known: action.known, of: action.of });
  return (
    <section className="known" aria-labelledby={id}>
      <h2 id={id} dir="auto">{t("{title}: what is known", { title: action.title })}</h2>
      <progress aria-labelledby={id} aria-valuetext={words} value={action.known} max={Math.max(1, action.of)} />
      <details {...(opened.current ? { open: true } : {})}>
        <summary>{words}<span className="unseen">: {action.title}</span></summary>
        <ul role="list">
          {action.fields.map((field) => (
            <RequirementRow key={field.field} chatId={chatId} field={field} of={action.title} />
          ))}
        </ul>
      </details>
      <p className={isConcerned ? "known-line" : "quiet"} dir="auto">{lineOf(action)}</p>
    </section>
  );
}

type Asking = "no" | "asking" | "sending";

function StartOver({ chatId }: { chatId: string }) {
  const [asking, setAsking] = useState<Asking>("no");
  const isAsking = asking !== "no";
  const wasAsking = useRef(false);
  const button = useRef<HTMLButtonElement>(null);
  const question = useRef<HTMLDivElement>(null);
  const id = useId();

  useLayoutEffect(() => {
    if (wasAsking.current === isAsking) return;
    wasAsking.current = isAsking;
    (isAsking ? question : button).current?.focus();
  }, [isAsking]);

  async function forget() {
    if (asking === "sending") return;
    setAsking("sending");
    try {
      await api.startOver(chatId);
      announce(t("Started over"));
      setAsking("no");
    } catch (error) {
      announce(t("Not sent. {why}", { why: describeError(error).detail }), "assertive");
      setAsking("asking");
    }
  }

  if (!isAsking) {
    return (
      <p>
        <button type="button" className="button" ref={button} onClick={() => setAsking("asking")}>
          {t("Start over…")}
        </button>
      </p>
    );
  }
  return (
    <div
      className="known-over"
      role="group"
      aria-labelledby={id}
      tabIndex={-1}
      ref={question}
      onKeyDown={(event) => void (event.key === "Escape" && setAsking("no"))}
    >
      <p id={id}>
        {t("Forget everything that is known here? What runs or waits is stopped; the messages stay.")}
      </p>
      <div className="row">
        <button type="button" className="button go" aria-disabled={asking === "sending"} onClick={() => void forget()}>
          {t("Yes, start over")}
        </button>
        <button type="button" className="button" onClick={() => setAsking("no")}>
          {t("Keep it")}
        </button>
      </div>
    </div>
  );
}
