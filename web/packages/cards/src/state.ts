// The state of a card as one union. What the server decided is read from the message and nowhere else;
// what is being sent is kept here, and a card says only "sending" until the message is settled.
import { t } from "@sayso/core";
import { useRef, useState } from "react";
import type { AnswerBody, CardAction, JsonObject, ProblemWords, Send, UiTool } from "./wire.ts";

export interface Outcome {
  status: Exclude<UiTool["ui_tool_status"], "pending" | "shown">;
  summary: string;
  at?: string;
  by?: string;
  /** What this page sent, if this page answered. */
  answer?: AnswerBody;
}

export type CardState =
  | { phase: "editing" }
  | { phase: "sending"; action: CardAction }
  | { phase: "failed"; action: CardAction; problem: ProblemWords }
  /** The server accepted a retry: its result is a new run, and this card stays as it is. */
  | { phase: "taken"; action: CardAction }
  | { phase: "settled"; outcome: Outcome };

type OnItsWay = Exclude<CardState, { phase: "settled" }>;

/** Return the state of a card and the function that submits it. */
export function useCardState(tool: UiTool, send: Send): [CardState, (action: CardAction) => void] {
  const [local, setLocal] = useState<OnItsWay>({ phase: "editing" });
  // A second press in the same tick would see the old state; the ref is up to date.
  const inFlight = useRef(false);

  function submit(action: CardAction): void {
    if (inFlight.current) return;
    inFlight.current = true;
    setLocal({ phase: "sending", action });
    send(action).then(
      () => {
        // An answer stays "sending" until the message is settled; a retry has nothing to wait for.
        inFlight.current = action.type === "answer" || action.type === "dismiss";
        if (!inFlight.current) setLocal({ phase: "taken", action });
      },
      (reason: unknown) => {
        inFlight.current = false;
        setLocal({ phase: "failed", action, problem: asProblem(reason) });
      },
    );
  }

  if (!tool.ui_tool_completed || tool.ui_tool_status === "pending" || tool.ui_tool_status === "shown") {
    return [local, submit];
  }
  const outcome: Outcome = { status: tool.ui_tool_status, summary: tool.response_summary ?? "" };
  if (tool.completed_at !== undefined) outcome.at = tool.completed_at;
  if (tool.completed_by !== undefined) outcome.by = tool.completed_by;
  const sent = local.phase === "sending" && local.action.type === "answer" ? local.action.body : null;
  if (sent !== null && (outcome.status === "completed" || outcome.status === "rejected")) outcome.answer = sent;
  return [{ phase: "settled", outcome }, submit];
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Turn any rejection of `send` into a problem for people. */
export function asProblem(reason: unknown): ProblemWords {
  if (isObject(reason) && typeof reason.title === "string" && typeof reason.detail === "string") {
    return reason as unknown as ProblemWords;
  }
  return {
    title: t("This could not be sent"),
    detail: reason instanceof Error ? reason.message : t("The server did not say why."),
    fix: t("Nothing is lost: try again when the connection is back."),
    code: "not_sent",
  };
}
