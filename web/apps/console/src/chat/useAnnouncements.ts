// What a chat says aloud: that it needs an answer, that an answer begins and ends, that something failed or was
// settled elsewhere. Never the text itself, word by word.
import {
  actionsOf,
  cardMetaOf,
  cardTitleOf,
  type ChatState,
  type ChatView,
  emptyView,
  endingOf,
  isPending,
  type MessageItem,
  uiToolOf,
  t,
  valueWords,
} from "@sayso/core";
import { useEffect, useRef } from "react";
import { announce } from "../frame/announce.tsx";
import { warnOfTime } from "../frame/timeWarning.ts";
import { needsAnswer, waitingFor } from "../words.ts";
import { begunHere } from "./begun.ts";
import { pendingOf } from "./session.ts";

/** A cut shorter than this is healed before it is worth a word. */
const NOTICEABLE_MILLISECONDS = 1_000;

interface Said {
  view: ChatView | null;
  answering: boolean;
}

export function useAnnouncements(state: ChatState, answeredHere: ReadonlySet<string>, now: Date): void {
  const said = useRef<Said>({ view: null, answering: false });
  const { view } = state;

  useEffect(() => {
    if (view === null || view === said.current.view) return;
    const before = said.current.view ?? whatWasKnown(view);
    said.current.view = view;
    if (before === null || before.log_id !== view.log_id) {
      const waiting = pendingOf(view.messages).length;
      if (waiting > 0) announce(waitingFor(waiting));
      sayAnswering(view, said.current);
      return;
    }
    if (view.messages !== before.messages) sayCards(before, view, answeredHere);
    if (view.requirements !== before.requirements) sayKnown(before, view);
    sayRun(before, view, said.current);
  }, [view]);

  useEffect(() => {
    for (const message of pendingOf(view?.messages ?? [])) warnOfTime(message, now);
  }, [view, now]);
}

/** Before its first picture a chat is unknown, but for one that was begun on this page: that was empty. */
function whatWasKnown(view: ChatView): ChatView | null {
  return begunHere.has(view.id) ? { ...emptyView(view.id), log_id: view.log_id } : null;
}

function sayCards(before: ChatView, view: ChatView, answeredHere: ReadonlySet<string>): void {
  const known = new Map(before.messages.map((message) => [message.event_id, message]));
  for (const message of view.messages) {
    const old = known.get(message.event_id);
    if (old === message) continue;
    const tool = uiToolOf(message);
    if (tool === null) continue;
    if (old === undefined) {
      // What an older page brings is not news.
      if (message.sequence <= before.seq) continue;
      sayNewCard(message);
    } else if (isPending(old) && !isPending(message) && !answeredHere.has(message.event_id)) {
      // The end of the run is said; that its cards ended with it goes without saying.
      if (tool.ui_tool_status === "cancelled" && view.run?.status === "cancelled") continue;
      const { name, words } = endingOf(tool);
      announce(`${name} ${words}`);
    }
  }
}

function sayNewCard(message: MessageItem): void {
  const tool = uiToolOf(message);
  if (tool === null) return;
  if (isPending(message)) announce(needsAnswer(cardTitleOf(tool)));
  else if (isError(tool.payload)) announce(cardTitleOf(tool), "assertive");
}

function isError(payload: Parameters<typeof cardMetaOf>[0]): boolean {
  const { card } = cardMetaOf(payload);
  return card === "critical_failure" || card === "recoverable_error";
}

/** What a message, or a change beside the chat, made known; an action's share of it is left to be read. */
function sayKnown(before: ChatView, view: ChatView): void {
  const was = valuesOf(before);
  const is = valuesOf(view);
  const fresh = [...is].filter(([slot, words]) => was.get(slot) !== words).map(([, words]) => words);
  const gone = [...was].filter(([slot]) => !is.has(slot)).map(([, words]) => words);
  if (fresh.length > 0) announce(t("Known now: {what}", { what: fresh.join("; ") }));
  if (gone.length > 0) announce(t("No longer known: {what}", { what: gone.join("; ") }));
}

/** Label and value of all that somebody gave, by slot: actions share one, each under its own name. */
function valuesOf({ requirements }: ChatView): Map<string, string> {
  const fields = actionsOf(requirements).flatMap((action) => action.fields).reverse();
  return new Map(fields.filter((field) => field.source !== "").map((field) => [field.slot, `${field.label}: ${valueWords(field.text, field.value, field.schema)}`]));
}

/** One "answering" and one end for each stretch of work, however many texts it writes. */
function sayRun(before: ChatView, view: ChatView, said: Said): void {
  sayAnswering(view, said);
  const was = before.run;
  const is = view.run;
  if (is == null || (was?.run_id === is.run_id && was.status === is.status)) return;
  if (is.status === "waiting") said.answering = false;
  if (is.status === "completed") announce(t("The answer is complete"));
  if (is.status === "cancelled") announce(t("The run is cancelled"));
  if (is.status === "failed") announce(t("The agent stopped with an error"), "assertive");
  if (is.status === "completed" || is.status === "cancelled" || is.status === "failed") said.answering = false;
}

function sayAnswering(view: ChatView, said: Said): void {
  if (view.live.length === 0 || said.answering) return;
  said.answering = true;
  announce(t("The agent is answering"));
}

/** One word when the connection is lost and one when it is back, not one per try. Gives back whether it is lost. */
export function useLostConnection({ connection }: ChatState, now: () => number = Date.now): boolean {
  const told = useRef(false);
  const since = connection.state === "lost" ? connection.since : null;
  useEffect(() => {
    if (since === null) {
      if (told.current && connection.state === "live") announce(t("Connected again"));
      told.current = connection.state === "live" ? false : told.current;
      return;
    }
    if (told.current) return;
    const timer = setTimeout(
      () => {
        told.current = true;
        announce(t("Connection lost. Trying again."));
      },
      Math.max(0, since + NOTICEABLE_MILLISECONDS - now()),
    );
    return () => clearTimeout(timer);
  }, [since, connection.state]);
  return since !== null;
}
