// The wire types that cards use (core generates them from the Python models).
import type {
  Answer,
  AttachedFile,
  AttachedLink,
  CardAction,
  CardFields,
  CardMeta,
  Change,
  Coded,
  Column,
  FieldError,
  InteractionResponse,
  JsonObject,
  JsonValue,
  KnownValue,
  MessageItem,
  Option,
  ProgressMade,
  Retry,
  Row,
  SendCardAction,
  ToolCallItem,
  UiTool,
} from "@sayso/core";

export type { CardAction, CardFields, CardMeta, Change, Column, FieldError, JsonObject, JsonValue, KnownValue, Option, Retry, Row, UiTool };
export type { CardKind } from "@sayso/core";
export type Attached = AttachedFile | AttachedLink;

export type AnswerBody = Answer;
/** An answer as this page sent it or as the server stores it. */
export type AnswerGiven = (Answer & Coded) | (Pick<InteractionResponse, "approved" | "response_data" | "user_message"> & Coded);
export type ResponseData = NonNullable<Answer["response_data"]>;
export type Send = SendCardAction;

/** The fields of a message that a card reads; an inbox builds them from an interaction. */
export type CardMessage = Pick<MessageItem, "content" | "metadata">;

/** The fields of a tool call that its row reads. */
export type ToolCall = Pick<
  ToolCallItem,
  "name" | "arguments" | "status" | "result" | "error" | "ran_seconds" | "rule" | "asked_arguments" | "code" | "params"
>;

export type ProgressView = Partial<ProgressMade>;

/** The texts of a problem; core's `Problem` has them. */
export interface ProblemWords {
  title: string;
  detail: string;
  fix?: string;
  code: string;
  errors?: readonly FieldError[];
}

export type ApprovalPayload = CardFields["approval"];
export type OptionsPayload = CardFields["options"];
export type FormPayload = CardFields["form"];
export type ExchangesPayload = CardFields["exchanges"];
export type RequirementsPayload = CardFields["requirements"];
export type ConfirmationPayload = CardFields["confirmation"];
export type HoldPayload = CardFields["hold"];
export type ValidationPayload = CardFields["validation"];
export type CriticalFailurePayload = CardFields["critical_failure"];
export type RecoverableErrorPayload = CardFields["recoverable_error"];
export type UncertainEffectPayload = CardFields["uncertain_effect"];
export type ArtifactPayload = CardFields["artifact"];
