// Where a person writes. The words stay in the box, and in the browser, until the server has them.
import { type JsonObject, t } from "@sayso/core";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { scheduler } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { wordsFor } from "../frame/hooks.ts";
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
  const latest = useRef(text);
  /** What was sent and is not known to have arrived: the beginning of the text, and the id it goes by. */
  const flight = useRef(flightIn(unsent(of)));
  const [mode, setMode] = useState<"queue" | "supersede">("queue");
  const [sending, setSending] = useState<Sending>({ phase: "writing" });
  const asks = runIsOpen && answers === undefined && text.trim() !== "";
  const busy = sending.phase === "sending";

  // Text that is put here from outside (a next step of a report, a starter) arrives as an event on the box.
  useEffect(() => {
    const box = boxRef.current;
    if (box === null) return;
    const put = (event: Event) => {
      const { words, andSend } = (event as CustomEvent<Put>).detail;
      write(words);
      if (andSend) void submit(words);
    };
    box.addEventListener("sayso:compose", put);
    return () => box.removeEventListener("sayso:compose", put);
  });

  useLayoutEffect(() => {
    const box = boxRef.current;
    if (box === null) return;
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
  }, [text]);

  function keep(next: string) {
    const { current } = flight;
    if (next.trim() === "") forgetUnsent(of);
    else keepUnsent(of, current === null ? { text: next } : { text: next, client_message_id: current.id, sent: current.sent });
  }

  function write(next: string) {
    setText(next);
    latest.current = next;
    if (!busy) {
      // Other words are another message.
      flight.current = null;
      if (sending.phase === "failed") setSending({ phase: "writing" });
    }
    keep(next);
  }

  async function submit(text: string) {
    if (busy) return;
    if (text.trim() === "") return boxRef.current?.focus();
    const { id, sent } = (flight.current ??= { id: scheduler.uuid(), sent: text });
    keep(text);
    setSending({ phase: "sending" });
    try {
      await send({ content: sent.trim(), client_message_id: id, ...(asks ? { mode } : {}) });
      flight.current = null;
      setMode("queue");
      setSending({ phase: "writing" });
      // What was typed behind it while it was on its way is the beginning of the next one.
      const whole = latest.current;
      const rest = whole.startsWith(sent) ? whole.slice(sent.length).trimStart() : whole;
      setText(rest);
      latest.current = rest;
      keep(rest);
    } catch (error) {
      const { detail } = wordsFor(error);
      setSending({ phase: "failed", why: detail });
      announce(t("Not sent. {why}", { why: detail }), "assertive");
    }
  }

  return (
    <form
      className="composer"
      aria-label={t("Message")}
      onSubmit={(event) => {
        event.preventDefault();
        void submit(text);
      }}
    >
      {answers !== undefined && <p className="composer-note">{t("This answers “{title}”.", { title: answers })}</p>}
      {asks && (
        <fieldset className="composer-mode">
          <legend>{t("The agent is not done. Send this")}</legend>
          {(["queue", "supersede"] as const).map((choice) => (
            <label key={choice}>
              <input
                type="radio"
                name={`${id}-mode`}
                checked={mode === choice}
                onChange={() => setMode(choice)}
              />
              {choice === "queue" ? t("when it is done") : t("now, and stop it")}
            </label>
          ))}
        </fieldset>
      )}
      {sending.phase === "failed" && <p className="composer-error">{sending.why}</p>}
      {busy && !isConnected && <p className="composer-note">{t("Will be sent as soon as the connection is back.")}</p>}
      <div className="composer-box">
        <label className="unseen" htmlFor={id}>
          {t("Message")}
        </label>
        <textarea
          id={id}
          ref={boxRef}
          rows={1}
          dir="auto"
          value={text}
          placeholder={placeholder}
          aria-describedby={`${id}-hint`}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing || isTouch()) return;
            event.preventDefault();
            void submit(text);
          }}
        />
        <span className="unseen" id={`${id}-hint`}>
          {t("Enter sends, Shift+Enter starts a new line.")}
        </span>
        <button type="submit" className="button go" aria-disabled={busy}>
          {busy ? t("Sending…") : t("Send")}
        </button>
      </div>
    </form>
  );
}

/** Puts a text into a composer, for the person to send or to change. */
export function compose(box: HTMLTextAreaElement | null, text: string): void {
  put(box, { words: text, andSend: false });
}

/** Puts a text into a composer and sends it; where that fails, it stands there to be sent again. */
export function say(box: HTMLTextAreaElement | null, text: string): void {
  put(box, { words: text, andSend: true });
}

interface Put {
  words: string;
  andSend: boolean;
}

function put(box: HTMLTextAreaElement | null, detail: Put): void {
  box?.dispatchEvent(new CustomEvent("sayso:compose", { detail }));
  box?.focus();
}

/** On a touch keyboard Enter is the only way to a new line. */
function isTouch(): boolean {
  return typeof matchMedia === "function" && matchMedia("(pointer: coarse)").matches;
}

function flightIn(kept: JsonObject | undefined): { id: string; sent: string } | null {
  const { client_message_id: id, sent } = kept ?? {};
  return typeof id === "string" && typeof sent === "string" ? { id, sent } : null;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
