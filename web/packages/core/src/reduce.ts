// How one event changes a chat's head and the one item it is about.
// It mirrors src/sayso/core/reducers.py case by case; tests/vectors keeps the two equal.
import type {
  ArtifactChanged,
  ArtifactItem,
  ChatEvent,
  ChatView,
  ErrorShown,
  JsonObject,
  JsonValue,
  MessageItem,
  MessageWritten,
  Stage,
  StageState,
  ToolCalled,
  ToolCallItem,
  ToolReturned,
  UiToolCompleted,
  UiToolDismissed,
  UiToolExpired,
  UiToolOpened,
} from "./wire/types.ts";
import { isObject } from "./wire/read.ts";

export type Item = MessageItem | ToolCallItem | ArtifactItem;
export type Head = Omit<ChatView, "messages" | "tool_calls" | "artifacts" | "live" | "before">;

type Of<T extends ChatEvent["type"]> = Extract<ChatEvent, { type: T }>;

export interface Target {
  kind: Item["kind"];
  id: string;
}

/** Return the items an event is about; none if it is about the chat itself. */
export function targetsOf(event: ChatEvent): Target[] {
  switch (event.type) {
    case "chat.message":
    case "chat.error":
      return [{ kind: "message", id: event.data.message_id }];
    case "chat.ui_tool":
    case "chat.ui_tool_complete":
    case "chat.ui_tool_dismiss":
    case "chat.ui_tool_expire":
      return [{ kind: "message", id: event.data.eventId }];
    case "chat.tool_result": {
      // The end of a call is also the outcome of the card that approved it.
      const { tool_call_id: id, outcome } = event.data;
      const call: Target = { kind: "tool_call", id };
      return outcome == null ? [call] : [call, { kind: "message", id: outcome.interaction_id }];
    }
    case "chat.tool_call":
    case "chat.tool_ui":
      return [{ kind: "tool_call", id: event.data.tool_call_id }];
    case "chat.artifact":
      return [{ kind: "artifact", id: event.data.id }];
    case "chat.requirements":
    case "chat.progress":
    case "chat.reasoning":
    case "chat.phase":
    case "chat.run":
    case "chat.preference":
    case "chat.title":
      return [];
    default:
      return assertNever(event);
  }
}

/** Return the chat's own fields after one event. */
export function reduceHead<H extends Head>(head: H, event: ChatEvent): H {
  if (event.seq <= head.seq) return head;
  const after: H = { ...head, seq: event.seq };
  switch (event.type) {
    case "chat.run": {
      const { run_id, task_id, status, reason = null, error = null, code = null, params = null, usage = null } = event.data;
      return { ...after, run: { run_id, task_id, status, since: event.at, reason, error, code, params, usage } };
    }
    case "chat.title":
      return { ...after, title: event.data.title };
    case "chat.progress":
      return { ...after, progress: withoutNulls({ ...event.data }) };
    case "chat.requirements":
      return { ...after, requirements: event.data.requirements };
    case "chat.preference":
      return { ...after, preferences: { ...head.preferences, [event.data.key]: event.data.value } };
    case "chat.ui_tool": {
      const stage = stageOf(event.data.payload);
      if (head.progress == null || stage === null) return after;
      return { ...after, progress: atStage(head.progress, stage) };
    }
    default:
      return after;
  }
}

/** Return the item after one event, or null if the item is not loaded and the event does not create it. */
export function reduceItem(item: Item | null, event: ChatEvent): Item | null {
  if (item !== null && event.seq <= item.as_of) return item;
  switch (event.type) {
    case "chat.message":
      return message(item, event);
    case "chat.ui_tool":
      return card(item, event, event.data);
    case "chat.error":
      return card(item, event, asCard(event.data));
    case "chat.ui_tool_complete":
    case "chat.ui_tool_dismiss":
    case "chat.ui_tool_expire":
      return settled(item, event);
    case "chat.tool_call":
      return toolCall(item, event);
    case "chat.tool_result":
      return item?.kind === "message" ? withOutcome(item, event) : toolResult(item, event);
    case "chat.tool_ui":
      return item?.kind === "tool_call" ? { ...item, ui: event.data.ui, as_of: event.seq } : item;
    case "chat.artifact":
      return artifact(item, event);
    default:
      return item;
  }
}

export function idOf(item: Item): string {
  switch (item.kind) {
    case "message":
      return item.event_id;
    case "tool_call":
      return item.tool_call_id;
    case "artifact":
      return item.artifact_id;
  }
}

/** Progress moved to a stage: those before it are done, those after it are still to do. */
function atStage(progress: JsonObject, stage: string): JsonObject {
  const stages = (progress["stages"] ?? []) as unknown as Stage[];
  const place = stages.findIndex((entry) => entry.id === stage);
  if (place < 0) return { ...progress, current: stage };
  const moved = stages.map(({ id, label }, i): JsonObject => {
    const state: StageState = i < place ? "done" : i === place ? "current" : "todo";
    return { id, label, state };
  });
  return { ...progress, stages: moved, current: stage };
}

function message(item: Item | null, event: Of<"chat.message">): MessageItem {
  const data: MessageWritten = event.data;
  return {
    kind: "message",
    event_id: data.message_id,
    sequence: item?.sequence ?? event.seq,
    as_of: event.seq,
    role: data.role,
    agent_name: data.agent_name ?? null,
    content: data.content,
    timestamp: event.at,
    status: data.status,
    run_id: data.run_id ?? null,
    metadata: data.metadata,
  };
}

function card(item: Item | null, event: ChatEvent, data: UiToolOpened): MessageItem {
  if (item?.kind === "message") {
    const tool = toolOf(item);
    if (tool["ui_tool_status"] !== "pending") return item;
    return withTool(item, event, { ...tool, payload: data.payload });
  }
  const own = data.payload["sayso"];
  const { interaction_type, run_id }: JsonObject = isObject(own) ? own : {};
  const asks = interaction_type !== undefined && interaction_type !== null;
  return {
    kind: "message",
    event_id: data.eventId,
    sequence: event.seq,
    as_of: event.seq,
    role: "assistant",
    agent_name: data.workflow_name,
    content: textOf(data.payload["agent_message"]),
    timestamp: event.at,
    status: "complete",
    run_id: typeof run_id === "string" ? run_id : null,
    metadata: {
      ...data.metadata,
      ui_tool: {
        ui_tool_id: data.ui_tool_id,
        event_id: data.eventId,
        display: data.display,
        ui_tool_completed: false,
        ui_tool_status: asks ? "pending" : "shown",
        payload: data.payload,
        timestamp: event.at,
      },
    },
  };
}

function asCard(data: ErrorShown): UiToolOpened {
  return {
    ui_tool_id: data.ui_tool_id,
    eventId: data.message_id,
    workflow_name: data.agent_name,
    display: "inline",
    payload: data.payload,
  };
}

function settled(
  item: Item | null,
  event: Of<"chat.ui_tool_complete" | "chat.ui_tool_dismiss" | "chat.ui_tool_expire">,
): MessageItem | null {
  if (item?.kind !== "message") return null;
  const data: UiToolCompleted | UiToolDismissed | UiToolExpired = event.data;
  return withTool(item, event, {
    ...toolOf(item),
    ui_tool_completed: true,
    ui_tool_status: data.status,
    response_summary: data.summary,
    completed_at: event.at,
    ...(event.by === undefined ? {} : { completed_by: event.by }),
    ...(event.type === "chat.ui_tool_dismiss" ? { ui_tool_dismissed: true } : {}),
    ...says(data),
  });
}

function withOutcome(item: MessageItem, event: Of<"chat.tool_result">): MessageItem {
  const { outcome, error = null } = event.data;
  const tool = toolOf(item);
  if (outcome == null || Object.keys(tool).length === 0) return item;
  const { state, title = null, changed } = outcome;
  const told = { state, title, changed: changed as unknown as JsonObject[], error, at: event.at, ...says(event.data) };
  return withTool(item, event, { ...tool, outcome: told });
}

function toolCall(item: Item | null, event: Of<"chat.tool_call">): ToolCallItem {
  const data: ToolCalled = event.data;
  return {
    kind: "tool_call",
    tool_call_id: data.tool_call_id,
    sequence: item?.sequence ?? event.seq,
    as_of: event.seq,
    name: data.name,
    arguments: data.arguments,
    run_id: data.run_id,
    agent_name: data.agent_name ?? null,
    timestamp: event.at,
    status: "running",
    result: null,
    error: null,
    code: null,
    params: null,
    finished_at: null,
    ran_seconds: null,
    asked_arguments: null,
    rule: null,
    ui: null,
  };
}

function toolResult(item: Item | null, event: Of<"chat.tool_result">): ToolCallItem | null {
  if (item?.kind !== "tool_call") return null;
  const data: ToolReturned = event.data;
  const ended = data.status !== "running" && data.status !== "waiting";
  const changed = data.arguments != null && !sameJson(data.arguments, item.arguments);
  return {
    ...item,
    as_of: event.seq,
    status: data.status,
    result: data.result ?? null,
    error: data.error ?? null,
    code: data.code ?? null,
    params: data.params ?? null,
    finished_at: ended ? event.at : null,
    ran_seconds: data.ran_seconds ?? null,
    rule: data.rule ?? null,
    ...(changed
      ? { asked_arguments: item.asked_arguments ?? item.arguments, arguments: data.arguments as JsonObject }
      : {}),
  };
}

function artifact(item: Item | null, event: Of<"chat.artifact">): ArtifactItem {
  const data: ArtifactChanged = event.data;
  return {
    kind: "artifact",
    artifact_id: data.id,
    sequence: item?.sequence ?? event.seq,
    as_of: event.seq,
    ui_tool_id: data.ui_tool_id,
    title: data.title,
    content: data.content,
    version: data.version,
    updated_at: event.at,
    updated_by: event.by ?? null,
  };
}

/** The code and the parameters of a text, where it has them. */
function says({ code, params }: { code?: string | null; params?: JsonObject | null }): JsonObject {
  return { ...(code == null ? {} : { code }), ...(params == null ? {} : { params }) };
}

function withTool(item: MessageItem, event: ChatEvent, tool: JsonObject): MessageItem {
  return { ...item, as_of: event.seq, metadata: { ...item.metadata, ui_tool: tool } };
}

function toolOf(item: MessageItem): JsonObject {
  const tool = item.metadata["ui_tool"];
  return isObject(tool) ? tool : {};
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function stageOf(payload: JsonObject): string | null {
  const context = payload["context"];
  const stage = isObject(context) ? context["workflow_stage"] : null;
  return typeof stage === "string" ? stage : null;
}

function withoutNulls(value: object): JsonObject {
  const entries = Object.entries(value) as [string, JsonValue | undefined][];
  return Object.fromEntries(entries.filter(([, field]) => field != null)) as JsonObject;
}

/** Whether two values are the same JSON, whatever the order of their keys. */
function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((entry, i) => sameJson(entry, b[i] ?? null));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] ?? null, b[key] ?? null))
  );
}

function assertNever(value: never): never {
  throw new Error(`not a known event: ${JSON.stringify(value)}`);
}
