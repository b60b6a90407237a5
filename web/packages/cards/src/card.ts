// What every card gets: its payload, how it is answered, where it stands, and what was typed into it.
import type { ReactElement } from "react";
import type { PatchDraft } from "./draft.ts";
import type { CardState } from "./state.ts";
import type { AnswerBody, CardAction, CardMessage, CardMeta, JsonObject, ProblemWords, ResponseData, UiTool } from "./wire.ts";

export interface CardProps<P = JsonObject> {
  payload: P;
  meta: CardMeta;
  tool: UiTool;
  message: CardMessage;
  state: CardState;
  submit: (action: CardAction) => void;
  /** Puts a text into the composer; nothing is decided by it. */
  compose: (text: string) => void;
  /** Asks for more time; the card stays as it is. */
  extend: (seconds: number) => Promise<void>;
  draft: JsonObject;
  setDraft: PatchDraft;
  now: Date;
  /** Shows an artifact beside the chat, where the page can. */
  openArtifact?: ((artifactId: string) => void) | undefined;
}

export type CardComponent = (props: CardProps) => ReactElement | null;

export function isSending(state: CardState): boolean {
  return state.phase === "sending";
}

export function problemOf(state: CardState): ProblemWords | undefined {
  return state.phase === "failed" ? state.problem : undefined;
}

interface Said {
  approved: boolean;
  reason?: string;
  data?: ResponseData;
  /** The tool need not ask again in this chat. */
  always?: boolean;
}

/** The answer in its normal form, bound to what was on the screen. What was left empty is left out. */
export function answer(meta: CardMeta, { approved, reason = "", data = {}, always = false }: Said): CardAction {
  const body: AnswerBody = { approved };
  const said = Object.entries(data).filter(([, value]) => !isEmpty(value));
  if (said.length > 0) body.response_data = Object.fromEntries(said) as ResponseData;
  if (reason.trim() !== "") body.user_message = reason.trim();
  const metadata = { ...(meta.digest == null ? {} : { digest: meta.digest }), ...(always ? { always_allow: true as const } : {}) };
  if (Object.keys(metadata).length > 0) body.metadata = metadata;
  return { type: "answer", body };
}

/** An empty list of approved rows says something (none); an empty text or list of suggestions does not. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}
