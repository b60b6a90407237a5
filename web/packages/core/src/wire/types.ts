// Written by scripts/wire_types.py from the models in src/sayso/core. Never edited by hand.

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

/** What a value has to be. It may be absent if nullable, or if `or` says what that means. */
export interface Shape {
  is: "string" | "integer" | "number" | "boolean" | "object" | "list" | "json" | readonly string[];
  /** What each entry of a list has to look like. */
  each?: Record<string, Shape>;
  /** What stands in an object. */
  fields?: Record<string, Shape>;
  nullable?: true;
  or?: JsonValue;
}

/** An approval. */
export interface ApprovalCard {
  title: string;
  agent_message: string;
  attachments?: JsonValue[] | null;
  message?: string | null;
  tool_name: string;
  tool_params: JsonObject;
  tool_description: string;
  entity_type: string;
  entity_summary: string;
  entity_details: JsonObject;
  action: string;
  impact?: string | null;
  context: JsonObject;
  warnings: string[];
  approval_options: string[];
  requires_reason: boolean;
  final_confirmation: boolean;
  edit_schema?: JsonObject | null;
  changes: Change[];
  before?: JsonObject | null;
  typed?: JsonObject | null;
  errors?: FieldMistake[] | null;
  agent_acts: boolean;
  may_be_remembered: boolean;
  bulk: boolean;
  rule?: AskingRule | null;
  formats?: Record<string, ValueFormat> | null;
  not_bound?: JsonObject | null;
}

/** Points from the chat to a versioned result that is drawn beside it. */
export interface ArtifactCard {
  title: string;
  agent_message: string;
  attachments?: JsonValue[] | null;
  artifact_id: string;
  version: number;
}

/** A versioned result beside the chat. */
export interface ArtifactChanged {
  id: string;
  ui_tool_id: string;
  title: string;
  content: JsonValue;
  version: number;
}

export interface ArtifactItem {
  kind: "artifact";
  artifact_id: string;
  sequence: number;
  as_of: number;
  ui_tool_id: string;
  title: string;
  content: JsonValue;
  version: number;
  updated_at: string;
  updated_by?: string | null;
}

/** Who asks from outside, as it says itself: shown as claimed, never as known. */
export interface Asker {
  client: string;
  session: string;
  folder: string;
  host: string;
}

/** What asks for a person: a rule of the policy or of a named one, the tool itself, or that nobody has declared the tool. */
export interface AskingRule {
  by: "rule" | "policy" | "tool" | "undeclared" | "unclear";
  number?: number | null;
  policy?: string | null;
  line?: string | null;
  may_be_ruled?: true | null;
}

/** A file, as its card shows it. */
export interface AttachedFile {
  kind: "file";
  name: string;
  media_type: string;
  size: number;
  digest: string;
  alt?: string | null;
}

export interface AttachedLink {
  kind: "link";
  url: string;
}

export type CardKind = "approval" | "options" | "form" | "exchanges" | "requirements" | "confirmation" | "hold" | "validation" | "critical_failure" | "recoverable_error" | "uncertain_effect" | "artifact" | "ui_tool";

/** What stands under `payload.sayso`: how the card is to be answered. */
export interface CardMeta {
  card: CardKind;
  interaction_type?: string | null;
  run_id?: string | null;
  tool_call_id?: string | null;
  batch_id?: string | null;
  expires_at?: string | null;
  on_expiry?: JsonObject | null;
  digest?: string | null;
  revision: number;
  changes?: Change[] | null;
  assignees: string[];
  asker?: Asker | null;
  response_schema?: JsonObject | null;
  bulk?: boolean | null;
  rule?: AskingRule | null;
  formats?: Record<string, ValueFormat> | null;
  code?: string | null;
  params?: JsonObject | null;
}

/** One value that differs: from the revision before, or from what the agent proposed. */
export interface Change {
  path: string;
  before?: JsonValue;
  after?: JsonValue;
}

export interface ChatTitled {
  title: string;
}

/** What a client draws. */
export interface ChatView {
  id: string;
  app_id: string;
  seq: number;
  log_id: string;
  agent: string;
  title: string;
  created_at: string;
  run?: RunView | null;
  progress?: JsonObject | null;
  requirements?: JsonObject | null;
  preferences: JsonObject;
  messages: MessageItem[];
  tool_calls: ToolCallItem[];
  artifacts: ArtifactItem[];
  live: LiveText[];
  before?: number | null;
}

export interface Column {
  key: string;
  label: string;
  editable: boolean;
}

/** Yes or no before something goes ahead, with everything it depends on. */
export interface ConfirmationCard {
  title: string;
  agent_message: string;
  attachments?: JsonValue[] | null;
  message?: string | null;
  details: Detail[];
  impact?: string | null;
  context: JsonObject;
  approval_options: string[];
  requires_reason: boolean;
}

/** A critical failure: red, with steps that resolve it. */
export interface CriticalFailureCard {
  title: string;
  agent_message: string;
  attachments?: JsonValue[] | null;
  status: "critical_failure";
  message: string;
  details?: string | null;
  code?: string | null;
  resolution_steps: string[];
  retry?: Retry | null;
}

export interface Detail {
  label: string;
  value: JsonValue;
}

/** Where a card is drawn: in the chat, or in the panel beside it. */
export type Display = "inline" | "artifact";

/** An error card: critical or recoverable. */
export interface ErrorShown {
  message_id: string;
  ui_tool_id: "critical_failure" | "recoverable_error";
  agent_name: string;
  run_id?: string | null;
  payload: JsonObject;
}

/** An approval whose rows are decided one by one. */
export interface ExchangesCard {
  title: string;
  agent_message: string;
  attachments?: JsonValue[] | null;
  message?: string | null;
  tool_name: string;
  tool_params: JsonObject;
  tool_description: string;
  entity_type: string;
  entity_summary: string;
  entity_details: JsonObject;
  action: string;
  impact?: string | null;
  context: JsonObject;
  warnings: string[];
  approval_options: string[];
  requires_reason: boolean;
  final_confirmation: boolean;
  edit_schema?: JsonObject | null;
  changes: Change[];
  before?: JsonObject | null;
  typed?: JsonObject | null;
  errors?: FieldMistake[] | null;
  agent_acts: boolean;
  may_be_remembered: boolean;
  bulk: boolean;
  rule?: AskingRule | null;
  formats?: Record<string, ValueFormat> | null;
  not_bound?: JsonObject | null;
  columns: Column[];
  rows: Row[];
  rows_argument?: string | null;
  rows_decidable: boolean;
}

/** What is wrong with a value that a person gave, at its place in the answer. */
export interface FieldMistake {
  code?: string | null;
  params?: JsonObject | null;
  path: string;
  message: string;
}

/** Values to fill in, described and checked by one JSON Schema. */
export interface FormCard {
  title: string;
  agent_message: string;
  attachments?: JsonValue[] | null;
  message?: string | null;
  response_schema: JsonObject;
  values: JsonObject;
  context: JsonObject;
  submit_label?: string | null;
  for_gate?: true | null;
}

/** What was approved and has not begun: it runs when the time is over, unless the yes is taken back before. */
export interface HoldCard {
  title: string;
  agent_message: string;
  attachments?: JsonValue[] | null;
  message?: string | null;
  details: Detail[];
  impact?: string | null;
  context: JsonObject;
  approval_options: string[];
  requires_reason: boolean;
  tool_name: string;
}

/** The one normal form of an answer. */
export interface InteractionResponse {
  interaction_id: string;
  approved: boolean;
  response_data: ResponseData;
  user_message?: string | null;
  metadata: JsonObject;
}

/** One value of an action about to run, in words, with where it came from. */
export interface KnownValue {
  code?: string | null;
  params?: JsonObject | null;
  field: string;
  label: string;
  text: string;
  source: string;
  source_code?: string | null;
  quote: string;
  offered: string;
  assumed: boolean;
}

export interface LiveText {
  message_id: string;
  text: string;
  agent_name?: string | null;
}

/** A message of the chat. */
export interface MessageItem {
  kind: "message";
  event_id: string;
  sequence: number;
  as_of: number;
  role: string;
  agent_name?: string | null;
  content: string;
  timestamp: string;
  status: MessageStatus;
  run_id?: string | null;
  metadata: JsonObject;
}

export type MessageStatus = "complete" | "queued" | "interrupted";

/** A message with its whole text. */
export interface MessageWritten {
  message_id: string;
  role: "user" | "assistant" | "system";
  content: string;
  agent_name?: string | null;
  run_id?: string | null;
  client_message_id?: string | null;
  status: MessageStatus;
  metadata: JsonObject;
}

export interface Option {
  id: string;
  label: string;
  description?: string | null;
}

/** A question. */
export interface OptionsCard {
  title: string;
  agent_message: string;
  attachments?: JsonValue[] | null;
  question: string;
  options: Option[];
  context: JsonObject;
  allow_notes: boolean;
  is_notice?: true | null;
}

/** What became of what a person allowed on a card. */
export interface Outcome {
  interaction_id: string;
  state: OutcomeState;
  title?: string | null;
  changed: Change[];
}

/** What came of an approval. */
export type OutcomeState = "ran" | "failed" | "not_run" | "unclear";

/** A phase of a turn behind the gate has begun. */
export interface PhaseEntered {
  run_id: string;
  phase: "intent_classification" | "requirement_checking" | "clarification_collection" | "branch_execution" | "result_aggregation";
}

export interface PreferenceSet {
  key: string;
  value: JsonValue;
}

export interface ProgressMade {
  stages: Stage[];
  current?: string | null;
  fraction?: number | null;
  note?: string | null;
}

/** What a model has thought before it replied, where the application shows that. */
export interface ReasoningShown {
  run_id: string;
  text: string;
  agent_name?: string | null;
  characters: number;
}

/** A recoverable error: amber, with a suggestion. */
export interface RecoverableErrorCard {
  title: string;
  agent_message: string;
  attachments?: JsonValue[] | null;
  status: "error";
  message: string;
  details?: string | null;
  code?: string | null;
  suggestion: string;
  retry?: Retry | null;
  retry_run?: string | null;
}

/** Go ahead with these values? Every one is shown, says where it came from, and can be changed; changing one opens the card anew. */
export interface RequirementsCard {
  title: string;
  agent_message: string;
  attachments?: JsonValue[] | null;
  message?: string | null;
  tool_name: string;
  tool_params: JsonObject;
  tool_description: string;
  entity_type: string;
  entity_summary: string;
  entity_details: JsonObject;
  action: string;
  impact?: string | null;
  context: JsonObject;
  warnings: string[];
  approval_options: string[];
  requires_reason: boolean;
  final_confirmation: boolean;
  edit_schema?: JsonObject | null;
  changes: Change[];
  before?: JsonObject | null;
  typed?: JsonObject | null;
  errors?: FieldMistake[] | null;
  agent_acts: boolean;
  may_be_remembered: boolean;
  bulk: boolean;
  rule?: AskingRule | null;
  formats?: Record<string, ValueFormat> | null;
  not_bound?: JsonObject | null;
  known: KnownValue[];
}

export interface RequirementsChanged {
  requirements: JsonObject;
}

/** The parts an answer can have. */
export interface ResponseData {
  selected_option?: string | null;
  additional_notes?: string | null;
  suggestions: string[];
  edits: JsonObject;
  approved_rows?: string[] | null;
  rejected_rows: Record<string, string>;
  values: JsonObject;
}

/** What `POST /api/tool-calls/{id}/retry` needs: the call, and its arguments to start from. */
export interface Retry {
  tool_call_id: string;
  tool_name: string;
  arguments: JsonObject;
  arguments_schema?: JsonObject | null;
}

export interface Row {
  row_id: string;
  values: JsonObject;
  warnings: string[];
}

/** A run changed its state. */
export interface RunMoved {
  code?: string | null;
  params?: JsonObject | null;
  run_id: string;
  task_id: string;
  status: "ready" | "running" | "waiting" | "completed" | "failed" | "cancelled";
  reason?: string | null;
  error?: JsonObject | null;
  usage?: Usage | null;
}

export interface RunView {
  run_id: string;
  task_id: string;
  status: string;
  since: string;
  reason?: string | null;
  error?: JsonObject | null;
  code?: string | null;
  params?: JsonObject | null;
  usage?: Usage | null;
}

/** What says the texts of a card: "gate.confirm" has "gate.confirm.title" and others. */
export interface Saying {
  code: string;
  params: JsonObject;
}

export interface Stage {
  id: string;
  label: string;
  state: StageState;
}

export type StageState = "todo" | "current" | "done";

export interface ToolCallItem {
  kind: "tool_call";
  tool_call_id: string;
  sequence: number;
  as_of: number;
  name: string;
  arguments: JsonObject;
  run_id: string;
  agent_name?: string | null;
  timestamp: string;
  status: ToolCallStatus;
  result?: JsonValue;
  error?: string | null;
  code?: string | null;
  params?: JsonObject | null;
  finished_at?: string | null;
  ran_seconds?: number | null;
  asked_arguments?: JsonObject | null;
  rule?: UsedRule | null;
  ui?: ToolUi | null;
}

export type ToolCallStatus = "running" | "waiting" | "done" | "failed" | "rejected" | "denied" | "uncertain" | "not_executed" | "cancelled";

export interface ToolCalled {
  tool_call_id: string;
  name: string;
  arguments: JsonObject;
  run_id: string;
  agent_name?: string | null;
  round?: number | null;
}

/** How a call ended, with the arguments that really ran (a person may have changed them). */
export interface ToolReturned {
  code?: string | null;
  params?: JsonObject | null;
  tool_call_id: string;
  status: ToolCallStatus;
  result?: JsonValue;
  error?: string | null;
  arguments?: JsonObject | null;
  truncated?: boolean | null;
  ran_seconds?: number | null;
  shown_digest?: string | null;
  executed_digest?: string | null;
  outcome?: Outcome | null;
  rule?: UsedRule | null;
}

export interface ToolUi {
  server: string;
  resource_uri: string;
  has_ui: boolean;
  format: "html" | "schema";
  url: string;
  content: string;
  result: string;
  size: number;
  origins: UiOrigins;
  permissions: string[];
  prefers_border: boolean;
  problem: string;
  detail: string;
  round: number;
}

/** A tool's own UI (an MCP App), beside its call. */
export interface ToolUiOpened {
  tool_call_id: string;
  ui: ToolUi;
}

/** Where a UI may load from and send to, each an origin; nowhere where it names none. */
export interface UiOrigins {
  connect: string[];
  resource: string[];
  frame: string[];
  base_uri: string[];
}

/** An application's own card: its payload is the application's, kept as given. */
export interface UiToolCard {
  payload: JsonObject;
  response_schema?: JsonObject | null;
}

/** A card reached an end: completed, rejected, cancelled or superseded. */
export interface UiToolCompleted {
  code?: string | null;
  params?: JsonObject | null;
  eventId: string;
  ui_tool_id: string;
  display: Display;
  status: "completed" | "rejected" | "cancelled" | "superseded";
  summary: string;
}

export interface UiToolDismissed {
  code?: string | null;
  params?: JsonObject | null;
  eventId: string;
  ui_tool_id: string;
  display: Display;
  status: "dismissed";
  summary: string;
}

export interface UiToolExpired {
  code?: string | null;
  params?: JsonObject | null;
  eventId: string;
  ui_tool_id: string;
  display: Display;
  status: "expired";
  summary: string;
}

/** A card. */
export interface UiToolOpened {
  ui_tool_id: string;
  eventId: string;
  workflow_name: string;
  display: Display;
  payload: JsonObject;
  metadata?: JsonObject | null;
}

/** A crash fell between "started" and "recorded": a person says what is true. */
export interface UncertainEffectCard {
  title: string;
  agent_message: string;
  attachments?: JsonValue[] | null;
  tool_name: string;
  tool_params: JsonObject;
  started_at: string;
  attempt: number;
  options: Option[];
}

/** The sum of a run's calls of models. */
export interface Usage {
  model_calls: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  reasoning_tokens: number;
}

/** The rule of a person that answered for them (core.standing_rules). */
export interface UsedRule {
  rule_id: string;
  by: string;
  conditions: JsonObject;
}

/** A validation report: for information, nothing is asked. */
export interface ValidationCard {
  title: string;
  agent_message: string;
  attachments?: JsonValue[] | null;
  status: "validation_complete";
  is_valid: boolean;
  validation_errors: string[];
  validation_warnings: string[];
  exchange_summary: JsonObject;
  next_steps: string[];
  [more: string]: JsonValue | undefined;
}

/** How a value of an argument is read, as the tool's schema says: an amount of a currency (ISO 4217), a number of a unit, a date or a time. */
export interface ValueFormat {
  format?: "currency" | "date" | "date-time" | null;
  currency?: string | null;
  unit?: string | null;
}

export type InteractionType = "tool_approval" | "user_input" | "confirmation" | "cancellation";

export type InteractionState = "pending" | "completed" | "rejected" | "dismissed" | "expired" | "cancelled" | "superseded";

/** The fields of each card's payload; `sayso.card` says which it is. */
export interface CardFields {
  approval: ApprovalCard;
  options: OptionsCard;
  form: FormCard;
  exchanges: ExchangesCard;
  requirements: RequirementsCard;
  confirmation: ConfirmationCard;
  hold: HoldCard;
  validation: ValidationCard;
  critical_failure: CriticalFailureCard;
  recoverable_error: RecoverableErrorCard;
  uncertain_effect: UncertainEffectCard;
  artifact: ArtifactCard;
  ui_tool: JsonObject;
}

/** One durable line of a chat's log. */
export type ChatEvent =
  | { seq: number; type: "chat.message"; at: string; by?: string; data: MessageWritten }
  | { seq: number; type: "chat.tool_call"; at: string; by?: string; data: ToolCalled }
  | { seq: number; type: "chat.tool_result"; at: string; by?: string; data: ToolReturned }
  | { seq: number; type: "chat.tool_ui"; at: string; by?: string; data: ToolUiOpened }
  | { seq: number; type: "chat.ui_tool"; at: string; by?: string; data: UiToolOpened }
  | { seq: number; type: "chat.ui_tool_complete"; at: string; by?: string; data: UiToolCompleted }
  | { seq: number; type: "chat.ui_tool_dismiss"; at: string; by?: string; data: UiToolDismissed }
  | { seq: number; type: "chat.ui_tool_expire"; at: string; by?: string; data: UiToolExpired }
  | { seq: number; type: "chat.artifact"; at: string; by?: string; data: ArtifactChanged }
  | { seq: number; type: "chat.requirements"; at: string; by?: string; data: RequirementsChanged }
  | { seq: number; type: "chat.progress"; at: string; by?: string; data: ProgressMade }
  | { seq: number; type: "chat.reasoning"; at: string; by?: string; data: ReasoningShown }
  | { seq: number; type: "chat.phase"; at: string; by?: string; data: PhaseEntered }
  | { seq: number; type: "chat.run"; at: string; by?: string; data: RunMoved }
  | { seq: number; type: "chat.error"; at: string; by?: string; data: ErrorShown }
  | { seq: number; type: "chat.preference"; at: string; by?: string; data: PreferenceSet }
  | { seq: number; type: "chat.title"; at: string; by?: string; data: ChatTitled }
;

export type EventType = ChatEvent["type"];

/** What the body of each event looks like; a known event that does not is an error. */
export const EVENT_SHAPES: Record<EventType, Record<string, Shape>> = {
  "chat.message": {
    message_id: {"is": "string"},
    role: {"is": ["user", "assistant", "system"]},
    content: {"is": "string"},
    agent_name: {"is": "string", "nullable": true},
    run_id: {"is": "string", "nullable": true},
    client_message_id: {"is": "string", "nullable": true},
    status: {"is": ["complete", "queued", "interrupted"], "or": "complete"},
    metadata: {"is": "object", "or": {}},
  },
  "chat.tool_call": {
    tool_call_id: {"is": "string"},
    name: {"is": "string"},
    arguments: {"is": "object"},
    run_id: {"is": "string"},
    agent_name: {"is": "string", "nullable": true},
    round: {"is": "integer", "nullable": true},
  },
  "chat.tool_result": {
    code: {"is": "string", "nullable": true},
    params: {"is": "object", "nullable": true},
    tool_call_id: {"is": "string"},
    status: {"is": ["running", "waiting", "done", "failed", "rejected", "denied", "uncertain", "not_executed", "cancelled"]},
    result: {"is": "json", "or": null},
    error: {"is": "string", "nullable": true},
    arguments: {"is": "object", "nullable": true},
    truncated: {"is": "boolean", "nullable": true},
    ran_seconds: {"is": "number", "nullable": true},
    shown_digest: {"is": "string", "nullable": true},
    executed_digest: {"is": "string", "nullable": true},
    outcome: {"is": "object", "fields": {"interaction_id": {"is": "string"}, "state": {"is": ["ran", "failed", "not_run", "unclear"]}, "title": {"is": "string", "nullable": true}, "changed": {"is": "list", "each": {"path": {"is": "string"}, "before": {"is": "json", "or": null}, "after": {"is": "json", "or": null}}, "or": []}}, "nullable": true},
    rule: {"is": "object", "fields": {"rule_id": {"is": "string"}, "by": {"is": "string"}, "conditions": {"is": "object"}}, "nullable": true},
  },
  "chat.tool_ui": {
    tool_call_id: {"is": "string"},
    ui: {"is": "object", "fields": {"server": {"is": "string"}, "resource_uri": {"is": "string"}, "has_ui": {"is": "boolean", "or": true}, "format": {"is": ["html", "schema"], "or": "html"}, "url": {"is": "string", "or": ""}, "content": {"is": "string", "or": ""}, "result": {"is": "string", "or": ""}, "size": {"is": "integer", "or": 0}, "origins": {"is": "object", "fields": {"connect": {"is": "list", "or": []}, "resource": {"is": "list", "or": []}, "frame": {"is": "list", "or": []}, "base_uri": {"is": "list", "or": []}}, "or": {"connect": [], "resource": [], "frame": [], "base_uri": []}}, "permissions": {"is": "list", "or": []}, "prefers_border": {"is": "boolean", "or": true}, "problem": {"is": "string", "or": ""}, "detail": {"is": "string", "or": ""}, "round": {"is": "integer", "or": 1}}},
  },
  "chat.ui_tool": {
    ui_tool_id: {"is": "string"},
    eventId: {"is": "string"},
    workflow_name: {"is": "string"},
    display: {"is": ["inline", "artifact"]},
    payload: {"is": "object"},
    metadata: {"is": "object", "nullable": true},
  },
  "chat.ui_tool_complete": {
    code: {"is": "string", "nullable": true},
    params: {"is": "object", "nullable": true},
    eventId: {"is": "string"},
    ui_tool_id: {"is": "string"},
    display: {"is": ["inline", "artifact"]},
    status: {"is": ["completed", "rejected", "cancelled", "superseded"]},
    summary: {"is": "string"},
  },
  "chat.ui_tool_dismiss": {
    code: {"is": "string", "nullable": true},
    params: {"is": "object", "nullable": true},
    eventId: {"is": "string"},
    ui_tool_id: {"is": "string"},
    display: {"is": ["inline", "artifact"]},
    status: {"is": ["dismissed"], "or": "dismissed"},
    summary: {"is": "string"},
  },
  "chat.ui_tool_expire": {
    code: {"is": "string", "nullable": true},
    params: {"is": "object", "nullable": true},
    eventId: {"is": "string"},
    ui_tool_id: {"is": "string"},
    display: {"is": ["inline", "artifact"]},
    status: {"is": ["expired"], "or": "expired"},
    summary: {"is": "string"},
  },
  "chat.artifact": {
    id: {"is": "string"},
    ui_tool_id: {"is": "string"},
    title: {"is": "string"},
    content: {"is": "json"},
    version: {"is": "integer"},
  },
  "chat.requirements": {
    requirements: {"is": "object"},
  },
  "chat.progress": {
    stages: {"is": "list", "each": {"id": {"is": "string"}, "label": {"is": "string"}, "state": {"is": ["todo", "current", "done"], "or": "todo"}}, "or": []},
    current: {"is": "string", "nullable": true},
    fraction: {"is": "number", "nullable": true},
    note: {"is": "string", "nullable": true},
  },
  "chat.reasoning": {
    run_id: {"is": "string"},
    text: {"is": "string"},
    agent_name: {"is": "string", "nullable": true},
    characters: {"is": "integer"},
  },
  "chat.phase": {
    run_id: {"is": "string"},
    phase: {"is": ["intent_classification", "requirement_checking", "clarification_collection", "branch_execution", "result_aggregation"]},
  },
  "chat.run": {
    code: {"is": "string", "nullable": true},
    params: {"is": "object", "nullable": true},
    run_id: {"is": "string"},
    task_id: {"is": "string"},
    status: {"is": ["ready", "running", "waiting", "completed", "failed", "cancelled"]},
    reason: {"is": "string", "nullable": true},
    error: {"is": "object", "nullable": true},
    usage: {"is": "object", "fields": {"model_calls": {"is": "integer"}, "input_tokens": {"is": "integer"}, "output_tokens": {"is": "integer"}, "cached_tokens": {"is": "integer", "or": 0}, "reasoning_tokens": {"is": "integer", "or": 0}}, "nullable": true},
  },
  "chat.error": {
    message_id: {"is": "string"},
    ui_tool_id: {"is": ["critical_failure", "recoverable_error"]},
    agent_name: {"is": "string"},
    run_id: {"is": "string", "nullable": true},
    payload: {"is": "object"},
  },
  "chat.preference": {
    key: {"is": "string"},
    value: {"is": "json"},
  },
  "chat.title": {
    title: {"is": "string"},
  },
};
