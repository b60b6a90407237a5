// Where a person writes. The words stay in the box, and in the browser, until the server has them.
import { useEffect, useId, useLayoutEffect, useState } from "react";
import { scheduler } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { wordsFor } from "../frame/hooks.ts";
import { messages as texts } from "../messages.ts";
import { forgetUnsent, keepUnsent, unsent, type UnsentOf } from "../unsent.ts";

export interface Words {
  content: string;
  /** The same words sent again, even after a reload, are the same message. */
  client_message_id: string;
  mode?: "queue" | "supersede";
}

interface Props {
  of: UnsentOf;
  send: (words: Words) => Promise<unknown>;
  /** Is something still going on? Then the person says what happens with it. */
  runIsOpen: boolean;
  /** The one open free question: what is written here answers it. */
  answers?: string | undefined;
  placeholder: string;
  isConnected: boolean;
  boxRef: { current: HTMLTextAreaElement | null };
}

type Sending = { phase: "writing" } | { phase: "sending" } | { phase: "failed"; why: string };

export function Composer({ of, send, runIsOpen, answers, placeholder, isConnected, boxRef }: Props) {
  const id = useId();
  const [text, setText] = useState(() => textOf(unsent(of)?.["text"]));
  const [mode, setMode] = useState<"queue" | "supersede">("queue");
  const [sending, setSending] = useState<Sending>({ phase: "writing" });
  const asks = runIsOpen && answers === undefined && text.trim() !== "";
  const busy = sending.phase === "sending";

  // Text that is put here from outside (a next step of a report) arrives as an event on the box.
  useEffect(() => {
    const box = boxRef.current;
    if (box === null) return;
    const put = (event: Event) => write((event as CustomEvent<string>).detail);
    box.addEventListener("sayso:compose", put);
    return () => box.removeEventListener("sayso:compose", put);
  }, [text]);

  useLayoutEffect(() => {
    const box = boxRef.current;
    if (box === null) return;
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
  }, [text]);

  function write(next: string) {
    setText(next);
    if (sending.phase === "failed") setSending({ phase: "writing" });
    // Other words are another message.
    if (next.trim() === "") forgetUnsent(of);
    else keepUnsent(of, { text: next });
  }

  async function submit() {
    const content = text.trim();
    if (busy) return;
    if (content === "") return boxRef.current?.focus();
    const id = textOf(unsent(of)?.["client_message_id"]) || scheduler.uuid();
    keepUnsent(of, { text, client_message_id: id });
    setSending({ phase: "sending" });
    try {
      await send({ content, client_message_id: id, ...(asks ? { mode } : {}) });
      forgetUnsent(of);
      setText("");
      setMode("queue");
      setSending({ phase: "writing" });
    } catch (error) {
      const { detail } = wordsFor(error);
      setSending({ phase: "failed", why: detail });
      announce(texts.announce.notSent(detail), "assertive");
    }
  }

  return (
    <form
      className="composer"
      aria-label={texts.composer.label}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {answers !== undefined && <p className="composer-note">{texts.composer.answers(answers)}</p>}
      {asks && (
        <fieldset className="composer-mode">
          <legend>{texts.composer.open}</legend>
          {(["queue", "supersede"] as const).map((choice) => (
            <label key={choice}>
              <input
                type="radio"
                name={`${id}-mode`}
                checked={mode === choice}
                onChange={() => setMode(choice)}
              />
              {texts.composer[choice]}
            </label>
          ))}
        </fieldset>
      )}
      {sending.phase === "failed" && <p className="composer-error">{sending.why}</p>}
      {busy && !isConnected && <p className="composer-note">{texts.composer.held}</p>}
      <div className="composer-box">
        <label className="unseen" htmlFor={id}>
          {texts.composer.label}
        </label>
        <textarea
          id={id}
          ref={boxRef}
          rows={1}
          dir="auto"
          value={text}
          placeholder={placeholder}
          readOnly={busy}
          aria-describedby={`${id}-hint`}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing || isTouch()) return;
            event.preventDefault();
            void submit();
          }}
        />
        <span className="unseen" id={`${id}-hint`}>
          {texts.composer.hint}
        </span>
        <button type="submit" className="button go" aria-disabled={busy}>
          {busy ? texts.composer.sending : texts.composer.send}
        </button>
      </div>
    </form>
  );
}

/** Puts a text into a composer, for the person to send or to change. */
export function compose(box: HTMLTextAreaElement | null, text: string): void {
  box?.dispatchEvent(new CustomEvent("sayso:compose", { detail: text }));
  box?.focus();
}

/** On a touch keyboard Enter is the only way to a new line. */
function isTouch(): boolean {
  return typeof matchMedia === "function" && matchMedia("(pointer: coarse)").matches;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
