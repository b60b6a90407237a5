// The message box. The text stays in the box and in browser storage until the server has it.
import { type JsonObject, t } from "@sayso/core";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { scheduler } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { describeError } from "../frame/hooks.ts";
import { removeDraft, saveDraft, readDraft, type DraftKey } from "../draftStorage.ts";
import { type Purpose, type Verdict, verdictOf } from "./purpose.ts";

export interface Words {
  content: string;
  /** Sending the same text again, even after a reload, is the same message. */
  client_message_id: string;
  mode?: "queue" | "supersede";
}

interface Props {
  of: DraftKey;
  send: (words: Words) => Promise<unknown>;
  purpose?: Purpose;
  /** Called where a bare yes or no was typed beside the one decision that waits. */
  decide?: (interactionId: string, verdict: Verdict) => void;
  placeholder: string;
  isConnected: boolean;
  boxRef: { current: HTMLTextAreaElement | null };
}

type Sending = { phase: "writing" } | { phase: "sending" } | { phase: "failed"; why: string };

export function Composer({ of, send, purpose = { to: "agent" }, decide, placeholder, isConnected, boxRef }: Props) {
  const id = useId();
  const [text, setText] = useState(() => textOf(readDraft(of)?.["text"]));
  const latest = useRef(text);
  /** What was sent but not acknowledged: the beginning of the text, and its message id. */
  const flight = useRef(flightIn(readDraft(of)));
  const [mode, setMode] = useState<"queue" | "supersede">("queue");
  const [sending, setSending] = useState<Sending>({ phase: "writing" });
  const [offered, setOffered] = useState<Verdict | null>(null);
  const offer = useRef<HTMLButtonElement>(null);
  const besides = purpose.to === "decision";
  const asks = (besides || purpose.to === "busy") && text.trim() !== "";
  const busy = sending.phase === "sending";

  // Text from outside (a next step of a report, a starter) arrives as an event on the box.
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

  // What was offered for one decision is not offered for the next.
  const decision = besides ? purpose.only : undefined;
  useEffect(() => setOffered(null), [decision]);
  useEffect(() => offer.current?.focus(), [offered]);

  useLayoutEffect(() => {
    const box = boxRef.current;
    if (box === null) return;
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
  }, [text]);

  function keep(next: string) {
    const { current } = flight;
    if (next.trim() === "") removeDraft(of);
    else saveDraft(of, current === null ? { text: next } : { text: next, client_message_id: current.id, sent: current.sent });
  }

  function write(next: string) {
    setOffered(null);
    setText(next);
    latest.current = next;
    if (!busy) {
      // A different text is a different message.
      flight.current = null;
      if (sending.phase === "failed") setSending({ phase: "writing" });
    }
    keep(next);
  }

  async function submit(text: string) {
    if (busy) return;
    if (text.trim() === "") return boxRef.current?.focus();
    const verdict = verdictOf(text);
    if (besides && purpose.only !== undefined && verdict !== undefined && decide !== undefined) return setOffered(verdict);
    const { id, sent } = (flight.current ??= { id: scheduler.uuid(), sent: text });
    keep(text);
    setSending({ phase: "sending" });
    try {
      await send({ content: sent.trim(), client_message_id: id, ...(asks ? { mode } : {}) });
      flight.current = null;
      setMode("queue");
      setSending({ phase: "writing" });
      // What was typed while it was being sent becomes the next message.
      const whole = latest.current;
      const rest = whole.startsWith(sent) ? whole.slice(sent.length).trimStart() : whole;
      setText(rest);
      latest.current = rest;
      keep(rest);
    } catch (error) {
      const { detail } = describeError(error);
      setSending({ phase: "failed", why: detail });
      announce(t("Not sent. {why}", { why: detail }), "assertive");
    }
  }

  return (
    <form
      className="composer"
      data-steps-back={besides && text === "" ? "" : undefined}
      aria-label={t("Message")}
      onSubmit={(event) => {
        event.preventDefault();
        void submit(text);
      }}
    >
      {purpose.to === "card" && (
        <p className="composer-note">
          {purpose.yes ? t("This answers “{title}”. You can also say yes.", { title: purpose.title }) : t("This answers “{title}”.", { title: purpose.title })}
        </p>
      )}
      {besides && offered !== null && purpose.only !== undefined && (
        <p className="composer-offer">
          <button
            type="button"
            className={offered === "yes" ? "button go" : "button"}
            ref={offer}
            onClick={() => {
              write("");
              decide?.(purpose.only ?? "", offered);
            }}
          >
            {offered === "yes" ? t("Approve “{title}”?", { title: purpose.title }) : t("Reject “{title}”?", { title: purpose.title })}
          </button>
          <button type="button" className="link" onClick={() => boxRef.current?.focus()}>
            {t("Keep writing")}
          </button>
        </p>
      )}
      {asks && offered === null && (
        <fieldset className="composer-mode">
          <legend>{besides ? t("“{title}” waits for your decision above. Send this", { title: purpose.title }) : t("The agent is busy. Send this")}</legend>
          {(["queue", "supersede"] as const).map((choice) => (
            <label key={choice}>
              <input
                type="radio"
                name={`${id}-mode`}
                checked={mode === choice}
                onChange={() => setMode(choice)}
              />
              {choice === "queue" ? t("after this") : t("now (stops it)")}
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
          placeholder={besides ? t("Write instead…") : placeholder}
          aria-describedby={`${id}-hint`}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing || isTouch()) return;
            event.preventDefault();
            void submit(text);
          }}
        />
        <span className="unseen" id={`${id}-hint`}>
          {isTouch() ? t("Enter starts a new line.") : t("Enter sends, Shift+Enter starts a new line.")}
        </span>
        <button type="submit" className="button go" aria-disabled={busy}>
          {busy ? t("Sending…") : t("Send")}
        </button>
      </div>
    </form>
  );
}

/** Put a text into the composer, for the person to edit or send. */
export function compose(box: HTMLTextAreaElement | null, text: string): void {
  put(box, { words: text, andSend: false });
}

/** Put a text into the composer and send it; if that fails, it stays there to be sent again. */
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

/** On a touch keyboard Enter is the only way to insert a line break. */
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
