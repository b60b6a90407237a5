// The documents of the REST API that have no pydantic model (docs/reference/wire.md).
import type { Coded } from "../messages.ts";
import type {
  Asker,
  CardKind,
  Change,
  Display,
  InteractionResponse,
  InteractionState,
  InteractionType,
  JsonObject,
  OutcomeState,
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
  /** With the code of a reason that is the server's own. */
  response?: (InteractionResponse & Coded) | null;
  settled_at?: string | null;
  settled_by?: string | null;
  /** Null if it could not make anything run, or if nothing is known. */
  outcome?: CameOf | null;
  /** Of an open ask from outside: whether anybody waits for the answer now. */
  asker_waits?: boolean | null;
  /** Of its chat, in lists and where it is read alone. */
  chat_title?: string | null;
  /** Who is looking at it; `by` is who handed it to them. It may have ended since it was read. */
  claim?: { person: string; by: string; until: string; note: string } | null;
  /** Until when the reader has put it off. */
  snoozed_until?: string | null;
}

/** Decisions on calls of one tool, with `argument` up to `at_most`. */
export interface Similar {
  tool_name: string;
  argument: string | null;
  at_most: number | null;
  decided: number;
  approved: number;
  approved_by_me: number;
  rejected: number;
}

/** A rule in the words of the policy file: `when` compares arguments of the call on the card that it is written from. */
export interface NewRule {
  interaction_id: string;
  then: "allow" | "ask" | "deny";
  when: JsonObject;
  ends_at?: string | null;
}

/** What a rule would have done with the decisions of some days: it speaks of `matched` of `decided`. */
export interface Trial {
  days: number;
  decided: number;
  matched: number;
  /** Decided as it would have, `mine` of them by the reader; and those decided otherwise. */
  agreed: number;
  mine: number;
  against: number;
  /** The newest of those; `changed` was approved with changes. */
  contradictions: { interaction_id: string; chat_id: string; title: string; decision: "approved" | "changed" | "rejected"; by: string; at: string | null }[];
  /** The same rule for the policy's own file. */
  toml: string;
}

/** A rule that a person wrote. */
export interface StandingRule {
  id: string;
  agent_name: string;
  tool_name: string;
  when: JsonObject;
  /** The same as people read it: "≤ 50". */
  conditions: JsonObject;
  then: NewRule["then"];
  written_by: string;
  written_at: string;
  chat_id: string;
  ends_at: string | null;
  uses: number;
  last_used_at: string | null;
  holds: boolean;
}

/** The effect of a decision: an `Outcome`, or `running`, `not_yet` or (of an ask) `not_used` while there is none. */
export type OutcomeNow = OutcomeState | "running" | "not_yet" | "not_used";

/** What is known about the effect of a decision. */
export interface CameOf extends Coded {
  state: OutcomeNow;
  /** What ran, in the tool's own words. */
  title?: string | null;
  changed: Change[];
  error?: string | null;
  at?: string | null;
}

/** How an interaction ended, for whoever answered, first or again. */
export interface Settled {
  interaction_id: string;
  status: InteractionState;
  response?: InteractionResponse | null;
  settled_at?: string | null;
  settled_by?: string | null;
  repeated?: boolean;
}

/** A query of the inbox; `before` is the id of the last one seen, in any order. */
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
  /** Of these, put off by the reader. */
  snoozed?: number;
  /** By card. */
  kinds: Record<string, number>;
  agents: Record<string, number>;
}

/** Filters of the history and its exports; `since` and `until` are instants. */
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
  edited?: "true";
  outcome?: "ran" | "went_wrong";
};

export interface HistoryEntry {
  /** What says its title, its reason and the error in other languages. */
  said?: Record<string, Coded>;
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
  proposed_title: string;
  outcome: OutcomeNow | null;
  changes: Change[];
  ran_arguments: JsonObject | null;
  outcome_error: string | null;
  outcome_at: string | null;
  executed_digest: string | null;
  /** The message that said yes in words. */
  message_id: string | null;
  /** Who asked from outside, as claimed. */
  asker: Asker | null;
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
  key_id: string | null;
  /** The same as people read it: who, what, which decision, which outcome. */
  ledger: { who: string | null; what: string; decision: string | null; outcome: string | null };
}

/** The result of an audit check; for a broken seal, `chat_id` is empty. */
export interface AuditReport {
  intact: boolean;
  result: "whole" | "broken" | "unsealed_tail" | "not_checkable";
  broken: { chat_id: string; number: number; detail: string }[];
}

export interface AlwaysAllowed {
  chat_id: string;
  title: string;
  tools: string[];
}

export interface NoticePlace {
  id: string;
  address: string;
  by: "mail" | "webhook";
}

/** A person's last answer to one question, in words. */
export interface Remembered {
  interaction_id: string;
  chat_id: string;
  agent_name: string;
  question: string;
  chosen: string;
  at: string | null;
}

export interface AgentSummary {
  name: string;
  adapter: string;
  capabilities: JsonObject;
  tools: string[];
  /** Suggested first messages. */
  starters: string[];
}

/** A tool that waits for an agreement: what it is now differs from what was agreed. */
export interface HeldTool {
  tool: string;
  digest: string;
  is_new: boolean;
  changes: string[];
  /** Lines that were taken away ("- "), and those that were added ("+ "). */
  difference: string[];
}

export interface ToolServer {
  name: string;
  state: string;
  problem: string;
  protocol: string;
  tools: string[];
  held: HeldTool[];
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

/** A call that a tool's own UI has made. */
export interface UiCall {
  id: string;
  tool: string;
  state: "running" | "waiting" | "ended";
  /** The interactions that it waits for. */
  cards: string[];
  /** What the UI is told, once it has ended. */
  result: JsonObject | null;
}

/** What a UI gets at once, or the call that is not at its end. */
export interface UiRpc {
  result: JsonObject | null;
  call: UiCall | null;
}
