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

export interface AgentSummary {
  name: string;
  adapter: string;
  capabilities: JsonObject;
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
