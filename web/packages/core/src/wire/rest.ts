// The documents of the REST API that are no pydantic models (docs/reference/wire.md).
import type {
  CardKind,
  Display,
  InteractionResponse,
  InteractionState,
  InteractionType,
  JsonObject,
} from "./types.ts";

export interface ChatSummary {
  id: string;
  title: string;
  agent: string;
  seq: number;
  created_at: string;
  updated_at: string;
  /** How many interactions wait in it. */
  pending: number;
  run?: { run_id: string; status: string } | null;
}

export interface Interaction {
  interaction_id: string;
  chat_id: string;
  run_id: string;
  task_id: string;
  interaction_type: InteractionType;
  card: CardKind;
  ui_tool_id: string;
  title: string;
  agent_name: string;
  display: Display;
  status: InteractionState;
  tool_call_id?: string | null;
  created_at: string;
  expires_at?: string | null;
  assignees: string[];
  payload: JsonObject;
  response?: InteractionResponse | null;
  settled_at?: string | null;
  settled_by?: string | null;
}

/** How an interaction ended, for whoever answered, first or again. */
export interface Outcome {
  interaction_id: string;
  status: InteractionState;
  response?: InteractionResponse | null;
  settled_at?: string | null;
  settled_by?: string | null;
  repeated?: boolean;
}

/** What the inbox asks for; `before` is the id of the last one seen, in any order. */
export type InteractionQuery = {
  status?: string;
  kind?: string;
  chat?: string;
  assignee?: string;
  agent?: string;
  q?: string;
  expires_before?: string;
  settled_after?: string;
  order?: "newest" | "oldest" | "expiring" | "settled";
  before?: string;
  limit?: number;
};

export interface PendingCounts {
  pending: number;
  /** By card. */
  kinds: Record<string, number>;
  agents: Record<string, number>;
}

/** What the history and its exports are filtered by; `since` and `until` are instants. */
export type HistoryQuery = {
  chat?: string;
  person?: string;
  kind?: string;
  status?: string;
  decision?: string;
  agent?: string;
  tool?: string;
  since?: string;
  until?: string;
  q?: string;
};

export interface HistoryEntry {
  interaction_id: string;
  chat_id: string;
  run_id: string;
  card: CardKind;
  title: string;
  agent_name: string;
  tool_name: string | null;
  status: InteractionState;
  decision: "approve" | "reject" | "partial" | null;
  reason: string | null;
  digest: string | null;
  revision: number | null;
  asked_at: string;
  settled_at: string | null;
  settled_by: string | null;
}

export interface AuditEntry {
  position: number;
  chat_id: string;
  number: number;
  at: string;
  actor: string | null;
  action: string;
  subject: string;
  body: JsonObject;
  hash: string;
}

export interface AlwaysAllowed {
  chat_id: string;
  title: string;
  tools: string[];
}

export interface AgentSummary {
  name: string;
  adapter: string;
  capabilities: JsonObject;
  tools: string[];
  /** What a person may begin with. */
  starters: string[];
}

export interface Sent {
  run_id: string | null;
  message_id: string;
  status: "started" | "queued" | "answered" | "superseded";
}

export interface Page<T> {
  items: T[];
  next: string | number | null;
}
