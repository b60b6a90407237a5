// The choices of the agent's last question, above the composer. A press sends one as a message.
import { type RequirementField, t } from "@sayso/core";
import { useId, useState } from "react";
import { scheduler } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { describeError } from "../frame/hooks.ts";
import type { Words } from "./Composer.tsx";

interface Props {
  fields: readonly RequirementField[];
  send: (words: Words) => Promise<unknown>;
  /** Called after a press, to move the focus: the buttons disappear with the question. */
  after: () => void;
}

export function AskedChoices({ fields, send, after }: Props) {
  const id = useId();
  const [isSending, setSending] = useState(false);

  async function say(content: string) {
    if (isSending) return;
    setSending(true);
    after();
    try {
      await send({ content, client_message_id: scheduler.uuid() });
    } catch (error) {
      announce(t("Not sent. {why}", { why: describeError(error).detail }), "assertive");
    } finally {
      setSending(false);
    }
  }

  return (
    <div className="asked">
      {fields.map((field) => (
        <div key={field.slot} className="choices" role="group" aria-labelledby={`${id}-${field.slot}`}>
          <span id={`${id}-${field.slot}`} className="quiet" dir="auto">{field.question}</span>
          {field.choices.map((choice) => (
            <button key={choice} type="button" className="pill" aria-disabled={isSending} onClick={() => void say(choice)}>
              {choice}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}
