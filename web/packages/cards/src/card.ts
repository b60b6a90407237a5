// The props of every card: its payload, how it is answered, its state and its draft.
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
  /** Put a text into the composer; this decides nothing. */
  compose: (text: string) => void;
  /** Ask for more time; the card stays open. */
  extend: (seconds: number) => Promise<void>;
  draft: JsonObject;
  setDraft: PatchDraft;
  now: Date;
  /** The current person, where the page knows them. */
  me?: string | undefined;
  /** Show an artifact beside the chat, if the page can. */
  openArtifact?: ((artifactId: string) => void) | undefined;
  /** Fetch a file beside the card by its digest, if the page can. */
  loadFile?: ((digest: string) => Promise<Blob>) | undefined;
  /** Fetch what this person chose when they were last asked the same, if the page can. */
  loadLastChoice?: ((interactionId: string) => Promise<JsonObject>) | undefined;
}

export type CardComponent = (props: CardProps) => ReactElement | null;

export function isSending(state: CardState): boolean {
  return state.phase === "sending";
}

export function problemOf(state: CardState): ProblemWords | undefined {
  return state.phase === "failed" ? state.problem : undefined;
}

interface AnswerFields {
  approved: boolean;
  reason?: string;
  data?: ResponseData;
  /** The tool need not ask again in this chat. */
  always?: boolean;
}

/** Build an answer in its normal form, bound to the revision on the screen. Empty fields are left out. */
export function answer(meta: CardMeta, { approved, reason = "", data = {}, always = false }: AnswerFields): CardAction {
  const body: AnswerBody = { approved };
  const filled = Object.entries(data).filter(([, value]) => !isEmpty(value));
  if (filled.length > 0) body.response_data = Object.fromEntries(filled) as ResponseData;
  if (reason.trim() !== "") body.user_message = reason.trim();
  const metadata = { ...(meta.digest == null ? {} : { digest: meta.digest }), ...(always ? { always_allow: true as const } : {}) };
  if (Object.keys(metadata).length > 0) body.metadata = metadata;
  return { type: "answer", body };
}

/** Whether a field counts as empty: an empty text or list of suggestions does, an explicit decision does not. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}
