// What a card reads and what it sends, in the words of the wire (docs/reference/wire.md).
//
// The payloads are the models of src/sayso/core/cards.py as they lie in `metadata.ui_tool.payload`.

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

export type CardKind =
  | "approval"
  | "options"
  | "form"
  | "exchanges"
  | "confirmation"
  | "validation"
  | "critical_failure"
  | "recoverable_error"
  | "uncertain_effect"
  | "artifact"
  | "ui_tool";

/** `pending` asks; `shown` asks for nothing; all others are final. */
export type UiToolStatus =
  | "pending"
  | "shown"
  | "completed"
  | "rejected"
  | "dismissed"
  | "expired"
  | "cancelled"
  | "superseded";

/** What stands under `payload.sayso`: how the card is to be answered. */
export interface CardMeta {
  card: CardKind;
  interaction_type?: string;
  run_id?: string;
  tool_call_id?: string;
  batch_id?: string;
  expires_at?: string;
  on_expiry?: JsonObject;
  digest?: string;
  revision?: number;
  assignees?: string[];
  response_schema?: JsonObject;
}

export interface UiTool {
  ui_tool_id: string;
  event_id: string;
  display: "inline" | "artifact";
  ui_tool_completed: boolean;
  ui_tool_status: UiToolStatus;
  payload: JsonObject;
  timestamp: string;
  response_summary?: string;
  completed_at?: string;
  completed_by?: string;
  ui_tool_dismissed?: boolean;
}

/** The part of a message that a card needs. */
export interface CardMessage {
  event_id: string;
  agent_name?: string | null;
  content: string;
  metadata: JsonObject;
}

export interface ToolCall {
  tool_call_id: string;
  name: string;
  arguments: JsonObject;
  agent_name?: string | null;
  timestamp: string;
  status:
    | "running"
    | "waiting"
    | "done"
    | "failed"
    | "rejected"
    | "denied"
    | "uncertain"
    | "not_executed"
    | "cancelled";
  result?: JsonValue;
  error?: string | null;
  finished_at?: string | null;
  asked_arguments?: JsonObject | null;
}

export interface ProgressView {
  stages?: { id: string; label: string; state: "todo" | "current" | "done" }[];
  current?: string | null;
  fraction?: number | null;
  note?: string | null;
}

/** The parts an answer can have; only those that say something are sent. */
export interface ResponseData {
  selected_option?: string;
  additional_notes?: string;
  suggestions?: string[];
  edits?: JsonObject;
  approved_rows?: string[];
  rejected_rows?: Record<string, string>;
  values?: JsonObject;
}

/** The normal form of an answer; who gave it comes from the connection, never from here. */
export interface AnswerBody {
  approved: boolean;
  response_data?: ResponseData;
  user_message?: string;
  metadata?: { digest: string };
}

export type CardAction =
  | { type: "answer"; body: AnswerBody }
  | { type: "dismiss"; reason?: string }
  | { type: "extend"; seconds: number }
  | { type: "retry"; tool_call_id: string; arguments?: JsonObject }
  | { type: "compose"; text: string };

/** A problem document (RFC 9457), as far as a person reads it. */
export interface Problem {
  title: string;
  detail: string;
  fix?: string;
  code: string;
  errors?: { path: string; message: string }[];
}

/** Resolves when the server has taken the action; rejects with a Problem. */
export type Send = (action: CardAction) => Promise<void>;

export interface Change {
  path: string;
  before?: JsonValue;
  after?: JsonValue;
}

interface CardPayload {
  title: string;
  agent_message?: string;
}

export interface ApprovalPayload extends CardPayload {
  message?: string;
  tool_name: string;
  tool_params: JsonObject;
  tool_description?: string;
  entity_type?: string;
  entity_summary?: string;
  entity_details?: JsonObject;
  action?: string;
  impact?: string;
  context?: JsonObject;
  warnings?: string[];
  approval_options?: string[];
  requires_reason?: boolean;
  final_confirmation?: boolean;
  edit_schema?: JsonObject;
  changes?: Change[];
  agent_acts?: boolean;
}

export interface Option {
  id: string;
  label: string;
  description?: string;
}

export interface OptionsPayload extends CardPayload {
  question: string;
  options?: Option[];
  context?: JsonObject;
  allow_notes?: boolean;
}

export interface FormPayload extends CardPayload {
  message?: string;
  response_schema: JsonObject;
  values?: JsonObject;
  context?: JsonObject;
  submit_label?: string;
}

export interface Column {
  key: string;
  label: string;
  editable?: boolean;
}

export interface Row {
  row_id: string;
  values: JsonObject;
  warnings?: string[];
}

export interface ExchangesPayload extends ApprovalPayload {
  columns: Column[];
  rows: Row[];
}

export interface ConfirmationPayload extends CardPayload {
  message?: string;
  details?: { label: string; value: JsonValue }[];
  impact?: string;
  context?: JsonObject;
  approval_options?: string[];
  requires_reason?: boolean;
}

export interface ValidationPayload extends CardPayload {
  status: "validation_complete";
  is_valid: boolean;
  validation_errors?: string[];
  validation_warnings?: string[];
  exchange_summary?: JsonObject;
  next_steps?: string[];
}

export interface Retry {
  tool_call_id: string;
  tool_name: string;
  arguments?: JsonObject;
  arguments_schema?: JsonObject;
}

export interface CriticalFailurePayload extends CardPayload {
  message: string;
  details?: string;
  code?: string;
  resolution_steps?: string[];
  retry?: Retry;
}

export interface RecoverableErrorPayload extends CardPayload {
  message: string;
  details?: string;
  code?: string;
  suggestion: string;
  retry?: Retry;
}

export interface UncertainEffectPayload extends CardPayload {
  tool_name: string;
  tool_params: JsonObject;
  started_at: string;
  attempt: number;
  options?: Option[];
}

export interface ArtifactPayload extends CardPayload {
  artifact_id: string;
  version: number;
}
