// What an app asks of the person: to send a message, open a page, save files. Nothing of it happens by itself.
import { saveFile } from "@sayso/cards";
import { isObject, Problem, t } from "@sayso/core";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { api } from "../browser.ts";
import type { ChatForUis } from "./chatForUis.ts";
import { bytesOf, type NamedFile, type Question } from "./questions.ts";

/** A press that was meant for the app, where the question now stands, answers nothing. */
const RIPE_MILLISECONDS = 600;
/** An app that is told no so often asks no more. */
const MOST_REFUSALS = 3;

export type Answer = "yes" | "draft" | "no";

/** One question at a time: while it stands, and after several refusals, others are refused unseen. */
export function usePerson(callId: string, chat: ChatForUis) {
  const [question, setQuestion] = useState<Question | null>(null);
  const [count, setCount] = useState(0);
  const settle = useRef<((isYes: boolean) => void) | null>(null);
  const refusals = useRef(0);

  async function ask(next: Question | null): Promise<boolean> {
    if (next === null || settle.current !== null || refusals.current >= MOST_REFUSALS) return false;
    setQuestion(next);
    setCount((before) => before + 1);
    return new Promise((done) => (settle.current = done));
  }

  function end(isYes: boolean) {
    settle.current?.(isYes);
    settle.current = null;
    setQuestion(null);
  }

  async function answer(said: Answer): Promise<void> {
    if (question === null) return;
    if (said === "no") {
      refusals.current += 1;
      return end(false);
    }
    refusals.current = 0;
    switch (question.kind) {
      case "message":
        if (said === "draft") chat.edit(question.text);
        else await chat.say(question.text);
        break;
      case "link":
        window.open(question.url.href, "_blank", "noopener,noreferrer");
        break;
      case "files":
        for (const file of question.files) saveFile(file.name, file.bytes ?? (await read(callId, file)));
        break;
    }
    end(true);
  }

  return { question, count, ask, answer, stop: () => end(false) };
}

async function read(callId: string, file: NamedFile): Promise<Uint8Array<ArrayBuffer>> {
  const { result } = await api.askForUi(callId, "resources/read", { uri: file.uri });
  const contents = result?.["contents"];
  const content = Array.isArray(contents) ? contents[0] : undefined;
  const bytes = isObject(content) ? bytesOf(content) : null;
  if (bytes === null) throw new Error(t("The file cannot be read."));
  return bytes;
}

interface Props {
  name: string;
  question: Question;
  answer: (said: Answer) => Promise<void>;
}

export function Asking({ name, question, answer }: Props) {
  const id = useId();
  const words = useRef<HTMLParagraphElement>(null);
  const [isRipe, setIsRipe] = useState(false);
  const [why, setWhy] = useState("");
  useEffect(() => {
    words.current?.focus();
    const timer = setTimeout(() => setIsRipe(true), RIPE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, []);
  const press = (said: Answer) => () => {
    if (!isRipe) return;
    answer(said).catch((error: unknown) => setWhy(error instanceof Problem ? error.detail : String(error)));
  };
  const { says, what, yes, no } = wordsOf(name, question);
  return (
    <div className="notice tool-ui-asks" role="group" aria-labelledby={id}>
      <p id={id} ref={words} tabIndex={-1} dir="auto">
        {says}
      </p>
      {what}
      {why !== "" && <p role="alert">{why}</p>}
      <div className="row">
        <button type="button" className="button go" aria-disabled={!isRipe} onClick={press("yes")}>
          {yes}
        </button>
        {question.kind === "message" && (
          <button type="button" className="button" aria-disabled={!isRipe} onClick={press("draft")}>
            {t("Use in my message")}
          </button>
        )}
        <button type="button" className="button" aria-disabled={!isRipe} onClick={press("no")}>
          {no}
        </button>
      </div>
    </div>
  );
}

function wordsOf(name: string, question: Question): { says: string; what: ReactNode; yes: string; no: string } {
  switch (question.kind) {
    case "message":
      return {
        says: t("The {name} wants to send this in your name:", { name }),
        what: <blockquote dir="auto">{question.text}</blockquote>,
        yes: t("Send"),
        no: t("Do not send"),
      };
    case "link":
      return {
        says: t("The {name} wants to open this page of {host}:", { name, host: question.url.host }),
        what: <p><code className="address">{question.url.href}</code></p>,
        yes: t("Open"),
        no: t("Do not open"),
      };
    case "files":
      return {
        says: t("The {name} wants to save this on your device:", { name }),
        what: (
          <ul>
            {question.files.map(({ name: file }, at) => (
              <li key={at} dir="auto">{file}</li>
            ))}
          </ul>
        ),
        yes: t("Save"),
        no: t("Do not save"),
      };
  }
}
