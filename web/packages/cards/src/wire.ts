// The words of the wire that cards use, by the names they have in core (which generates them from Python's models).
import type {
  Answer,
  CardAction,
  CardFields,
  CardMeta,
  Change,
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

export type AnswerBody = Answer;
/** An answer as this page sent it, or as the server keeps it. */
export type AnswerGiven = Answer | Pick<InteractionResponse, "approved" | "response_data" | "user_message">;
export type ResponseData = NonNullable<Answer["response_data"]>;
export type Send = SendCardAction;

/** The parts of a message that a card reads, so that an inbox can draw one from an interaction as well. */
export type CardMessage = Pick<MessageItem, "content" | "metadata">;

/** The parts of a tool call that its row reads. */
export type ToolCall = Pick<
  ToolCallItem,
  "name" | "arguments" | "status" | "result" | "error" | "ran_seconds" | "asked_arguments"
>;

export type ProgressView = Partial<ProgressMade>;

/** What a person reads of a problem; core's `Problem` is one. */
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
export type ValidationPayload = CardFields["validation"];
export type CriticalFailurePayload = CardFields["critical_failure"];
export type RecoverableErrorPayload = CardFields["recoverable_error"];
export type UncertainEffectPayload = CardFields["uncertain_effect"];
export type ArtifactPayload = CardFields["artifact"];
