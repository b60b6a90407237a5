// Announces the events of a chat: a card needs an answer, an answer begins and ends, something failed or was
// settled elsewhere. Never the streaming text itself.
import {
  actionsOf,
  cardMetaOf,
  cardTitleOf,
  type ChatState,
  type ChatView,
  emptyView,
  endingOf,
  isHold,
  isPending,
  type MessageItem,
  uiToolOf,
  t,
  messageText,
} from "@sayso/core";
import { useEffect, useRef } from "react";
import { announce } from "../frame/announce.tsx";
import { warnOfTime } from "../frame/timeWarning.ts";
import { newsOf, waitingFor } from "../words.ts";
import { startedHere } from "./startedHere.ts";
import { pendingOf } from "./session.ts";

/** A shorter interruption is not worth announcing. */
const NOTICEABLE_MILLISECONDS = 1_000;

interface Announced {
  view: ChatView | null;
  answering: boolean;
}

export function useAnnouncements(state: ChatState, answeredHere: ReadonlySet<string>, now: Date): void {
  const announced = useRef<Announced>({ view: null, answering: false });
  const { view } = state;

  useEffect(() => {
    if (view === null || view === announced.current.view) return;
    const before = announced.current.view ?? whatWasKnown(view);
    announced.current.view = view;
    if (before === null || before.log_id !== view.log_id) {
      const waiting = pendingOf(view.messages).length;
      if (waiting > 0) announce(waitingFor(waiting));
      sayAnswering(view, announced.current);
      return;
    }
    if (view.messages !== before.messages) sayCards(before, view, answeredHere);
    if (view.requirements !== before.requirements) sayKnown(before, view);
    sayRun(before, view, announced.current);
  }, [view]);

  useEffect(() => {
    for (const message of pendingOf(view?.messages ?? [])) warnOfTime(message, now);
  }, [view, now]);
}

/** Before the first snapshot nothing is known, except that a chat started on this page was empty. */
function whatWasKnown(view: ChatView): ChatView | null {
  return startedHere.has(view.id) ? { ...emptyView(view.id), log_id: view.log_id } : null;
}

function sayCards(before: ChatView, view: ChatView, answeredHere: ReadonlySet<string>): void {
  const known = new Map(before.messages.map((message) => [message.event_id, message]));
  for (const message of view.messages) {
    const old = known.get(message.event_id);
    if (old === message) continue;
    const tool = uiToolOf(message);
    if (tool === null) continue;
    if (old === undefined) {
      // Cards of older pages are not news.
      if (message.sequence <= before.seq) continue;
      sayNewCard(message);
    } else if (isPending(old) && !isPending(message) && !answeredHere.has(message.event_id)) {
      // The end of the run is announced; do not repeat it for its cards.
      if (tool.ui_tool_status === "cancelled" && view.run?.status === "cancelled") continue;
      const { name, words } = endingOf(tool);
      announce(`${name} ${words}`);
    }
  }
}

function sayNewCard(message: MessageItem): void {
  const tool = uiToolOf(message);
  if (tool === null) return;
  if (tool.ui_tool_status === "pending") announce(newsOf(cardTitleOf(tool), isHold(tool)));
  else if (isError(tool.payload)) announce(cardTitleOf(tool), "assertive");
}

function isError(payload: Parameters<typeof cardMetaOf>[0]): boolean {
  const { card } = cardMetaOf(payload);
  return card === "critical_failure" || card === "recoverable_error";
}

/** Announce values that became known or were cleared. */
function sayKnown(before: ChatView, view: ChatView): void {
  const was = valuesOf(before);
  const is = valuesOf(view);
  const fresh = [...is].filter(([slot, words]) => was.get(slot) !== words).map(([, words]) => words);
  const gone = [...was].filter(([slot]) => !is.has(slot)).map(([, words]) => words);
  if (fresh.length > 0) announce(t("Known now: {what}", { what: fresh.join("; ") }));
  if (gone.length > 0) announce(t("No longer known: {what}", { what: gone.join("; ") }));
}

/** Return label and value of all given values, by slot; actions may share a slot. */
function valuesOf({ requirements }: ChatView): Map<string, string> {
  const fields = actionsOf(requirements).flatMap((action) => action.fields).reverse();
  return new Map(fields.filter((field) => field.source !== "").map((field) => [field.slot, `${field.label}: ${messageText(field, field.text)}`]));
}

/** Announce one start and one end per stretch of work, however many texts it has. */
function sayRun(before: ChatView, view: ChatView, announced: Announced): void {
  sayAnswering(view, announced);
  const was = before.run;
  const is = view.run;
  if (is == null || (was?.run_id === is.run_id && was.status === is.status)) return;
  // Between its tries: said once more each time, since the time is another.
  if (is.status === "ready" && is.reason) announce(messageText(is, is.reason));
  if (is.status === "waiting" || is.status === "ready") announced.answering = false;
  if (is.status === "completed") announce(t("The answer is complete"));
  if (is.status === "cancelled") announce(t("The run was stopped"));
  if (is.status === "failed") announce(t("The agent stopped with an error"), "assertive");
  if (is.status === "completed" || is.status === "cancelled" || is.status === "failed") announced.answering = false;
}

function sayAnswering(view: ChatView, announced: Announced): void {
  if (view.live.length === 0 || announced.answering) return;
  announced.answering = true;
  announce(t("The agent is answering"));
}

/** Announce once when the connection is lost and once when it is back. Returns whether it is lost. */
export function useLostConnection({ connection }: ChatState, now: () => number = Date.now): boolean {
  const isAnnounced = useRef(false);
  const since = connection.state === "lost" ? connection.since : null;
  useEffect(() => {
    if (since === null) {
      if (isAnnounced.current && connection.state === "live") announce(t("Connected again"));
      isAnnounced.current = connection.state === "live" ? false : isAnnounced.current;
      return;
    }
    if (isAnnounced.current) return;
    const timer = setTimeout(
      () => {
        isAnnounced.current = true;
        announce(t("Connection lost. Trying again."));
      },
      Math.max(0, since + NOTICEABLE_MILLISECONDS - now()),
    );
    return () => clearTimeout(timer);
  }, [since, connection.state]);
  return since !== null;
}
