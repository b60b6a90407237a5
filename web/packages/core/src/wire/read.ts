// Parses the wire: text in, checked frames out. The only place with unchecked casts.
import { t } from "../text.ts";
import {
  type ChatEvent,
  type ChatView,
  EVENT_SHAPES,
  type EventType,
  type JsonObject,
  type JsonValue,
  type LiveText,
  type Shape,
} from "./types.ts";
import type { ProblemDocument } from "../problem.ts";

export interface TextDelta {
  message_id: string;
  offset: number;
  text: string;
  agent_name?: string | null;
}

/** Every frame that a server can send over a live connection. */
export type ServerFrame =
  | { is: "event"; event: ChatEvent }
  /** An event of a type that this version does not know: counted and skipped. */
  | { is: "unknown"; seq: number }
  | { is: "delta"; delta: TextDelta }
  | { is: "live"; live: LiveText }
  | { is: "draft"; interaction_id: string; content: JsonObject }
  | { is: "snapshot"; view: ChatView }
  | { is: "sync" }
  | { is: "ok"; ref: string; result: JsonValue }
  | { is: "problem"; ref: string; problem: ProblemDocument }
  /** Something newer than this version; it changes nothing. */
  | { is: "ignored" };

/** A frame of a known type with a wrong shape. */
export class MalformedFrame extends Error {
  override readonly name = "MalformedFrame";
}

export function readFrame(text: string): ServerFrame {
  const wire: JsonValue = JSON.parse(text);
  if (!isObject(wire)) throw new MalformedFrame("a frame has to be an object");
  if (typeof wire["ref"] === "string") return readAcknowledgement(wire["ref"], wire);
  if (typeof wire["seq"] === "number") {
    const event = readEvent(wire);
    return event === null ? { is: "unknown", seq: wire["seq"] } : { is: "event", event };
  }
  const data = isObject(wire["data"]) ? wire["data"] : {};
  switch (wire["type"]) {
    case "chat.delta":
      return { is: "delta", delta: readAs<TextDelta>("chat.delta", data, DELTA) };
    case "chat.live":
      return { is: "live", live: readAs<LiveText>("chat.live", data, LIVE) };
    case "chat.draft":
      return { is: "draft", ...readAs<{ interaction_id: string; content: JsonObject }>("chat.draft", data, DRAFT) };
    case "chat.snapshot":
      return { is: "snapshot", view: readView(data) };
    case "chat.sync":
      return { is: "sync" };
    default:
      return { is: "ignored" };
  }
}

/** Return the event of a wire object, or null for an unknown type. A malformed event of a known type throws. */
export function readEvent(wire: JsonObject): ChatEvent | null {
  const { seq, type, at, by, data } = wire;
  if (typeof type !== "string" || !Object.hasOwn(EVENT_SHAPES, type)) return null;
  if (typeof seq !== "number" || typeof at !== "string" || !isObject(data)) {
    throw new MalformedFrame(`${type} lacks its seq, its time or its data`);
  }
  const body = readAs<ChatEvent["data"]>(type, data, EVENT_SHAPES[type as EventType]);
  const event = { seq, type, at, data: body, ...(typeof by === "string" ? { by } : {}) };
  return event as unknown as ChatEvent;
}

/** Parse a view from the API or from a snapshot. */
export function readView(wire: JsonValue | undefined): ChatView {
  if (!isObject(wire)) throw new MalformedFrame("a view has to be an object");
  const view = readAs<ChatView>("ChatView", wire, VIEW);
  return { run: null, progress: null, requirements: null, before: null, ...view };
}

const TEXT: Shape = { is: "string" };
const COUNT: Shape = { is: "integer" };
const ITEMS: Shape = { is: "list", or: [] };
const LIVE = { message_id: TEXT, text: TEXT, agent_name: { is: "string", nullable: true } } satisfies Shapes;
const DELTA = { ...LIVE, offset: COUNT } satisfies Shapes;
const DRAFT = { interaction_id: TEXT, content: { is: "object" } } satisfies Shapes;
const VIEW = {
  id: TEXT,
  seq: COUNT,
  log_id: { is: "string", or: "" },
  agent: { is: "string", or: "" },
  title: { is: "string", or: "" },
  preferences: { is: "object", or: {} },
  messages: ITEMS,
  tool_calls: ITEMS,
  artifacts: ITEMS,
  live: ITEMS,
} satisfies Shapes;

type Shapes = Record<string, Shape>;

/** Check every field of `data` and fill in the defaults of absent ones. */
function readAs<T>(name: string, data: JsonObject, shapes: Shapes): T {
  const read: JsonObject = { ...data };
  for (const [field, shape] of Object.entries(shapes)) {
    const value = data[field];
    if (value === undefined && shape.or !== undefined) read[field] = shape.or;
    else if (value === undefined && shape.nullable) continue;
    else if (value === undefined || !fits(value, shape)) {
      throw new MalformedFrame(`${name}: \`${field}\` is not what it has to be`);
    } else if (shape.each !== undefined && Array.isArray(value)) {
      const each = shape.each;
      read[field] = value.map((entry) => readAs<JsonObject>(`${name}.${field}`, entry as JsonObject, each));
    } else if (shape.fields !== undefined && isObject(value)) {
      read[field] = readAs<JsonObject>(`${name}.${field}`, value, shape.fields);
    }
  }
  return read as T;
}

function fits(value: JsonValue, shape: Shape): boolean {
  if (value === null && shape.nullable) return true;
  switch (shape.is) {
    case "json":
      return true;
    case "list":
      return Array.isArray(value) && (shape.each === undefined || value.every(isObject));
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === shape.is;
    default:
      return shape.is.includes(value as string);
  }
}

function readAcknowledgement(ref: string, wire: JsonObject): ServerFrame {
  const problem = wire["problem"];
  if (isObject(problem)) return { is: "problem", ref, problem: readProblem(problem) };
  return { is: "ok", ref, result: wire["ok"] ?? null };
}

export function readProblem(wire: JsonObject): ProblemDocument {
  const fallback = { type: "about:blank", title: t("Something went wrong"), status: 500, code: "error" };
  const detail = typeof wire["title"] === "string" ? wire["title"] : fallback.title;
  return { ...fallback, detail, ...wire } as ProblemDocument;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
