// For tests: a server inside the page. It answers fetch by a table, holds the sockets' other ends, and sends hints.
import { emptyView, type Interaction, type JsonObject, type JsonValue } from "@sayso/core";
import { vi } from "vitest";

type Answer = JsonValue | ((body: JsonObject, headers: Headers) => JsonValue);

export class FakeSocket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  heard: { ref: string; type: string; data: JsonObject }[] = [];
  constructor(readonly url: string | URL) {
    server().sockets.push(this);
  }
  send(text: string): void {
    this.heard.push(JSON.parse(text) as FakeSocket["heard"][number]);
  }
  close(): void {}
  accept(): void {
    this.onopen?.();
  }
  say(frame: JsonValue): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  cut(): void {
    this.onclose?.();
  }
}

class FakeEvents {
  onopen: (() => void) | null = null;
  private hear: ((event: { data: string }) => void) | null = null;
  constructor() {
    server().events.push(this);
  }
  addEventListener(_: string, hear: (event: { data: string }) => void): void {
    this.hear = hear;
  }
  hint(chatId: string): void {
    this.hear?.({ data: JSON.stringify({ chat_id: chatId, seq: 1 }) });
  }
  close(): void {}
}

interface World {
  sockets: FakeSocket[];
  events: FakeEvents[];
  requests: { method: string; path: string; body: JsonObject; headers: Headers }[];
  routes: Map<string, Answer>;
  socket(): FakeSocket;
}

let world: World | null = null;

function server(): World {
  if (world === null) throw new Error("start the server first");
  return world;
}

/** Puts a new server under the page; routes are `"METHOD /path"`, without the query. */
export function startServer(): World {
  const started: World = {
    sockets: [],
    events: [],
    requests: [],
    routes: new Map<string, Answer>([
      ["GET /api/chats", { chats: [], next: null }],
      ["GET /api/interactions", { interactions: [], next: null }],
      ["GET /api/interactions/counts", () => countsOf(started.routes.get("GET /api/interactions"))],
      ["GET /api/preferences", {}],
      ["GET /api/agents", { agents: [{ name: "desk", adapter: "function", capabilities: {}, tools: [], starters: [] }] }],
    ]),
    socket() {
      const last = this.sockets.at(-1);
      if (last === undefined) throw new Error("nobody has connected");
      return last;
    },
  };
  world = started;
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("EventSource", FakeEvents);
  vi.stubGlobal("fetch", async (path: string, init: RequestInit = {}) => {
    const method = init.method ?? "GET";
    const route = `${method} ${path.split("?")[0] ?? ""}`;
    const body = typeof init.body === "string" ? (JSON.parse(init.body) as JsonObject) : {};
    const headers = new Headers(init.headers);
    started.requests.push({ method, path, body, headers });
    const answer = started.routes.get(route);
    if (answer === undefined) {
      const missing = { type: "x", title: "Not found", status: 404, code: "not_found", detail: `no ${route}` };
      return new Response(JSON.stringify(missing), { status: 404 });
    }
    const said = typeof answer === "function" ? answer(body, headers) : answer;
    const status = isProblem(said) ? said.status : 200;
    return new Response(JSON.stringify(said), { status });
  });
  return started;
}

/** What the server counts of what this table lists. */
function countsOf(route: Answer | undefined): JsonValue {
  const listed = typeof route === "function" ? route({}, new Headers()) : route;
  const { interactions = [] } = (listed ?? {}) as { interactions?: Interaction[] };
  const counts = { pending: 0, kinds: {} as Record<string, number>, agents: {} as Record<string, number> };
  for (const { status, card, agent_name: agent } of interactions) {
    if (status !== "pending") continue;
    counts.pending += 1;
    counts.kinds[card] = (counts.kinds[card] ?? 0) + 1;
    counts.agents[agent] = (counts.agents[agent] ?? 0) + 1;
  }
  return counts;
}

function isProblem(value: JsonValue): value is { status: number } & JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && typeof value["code"] === "string";
}

const AT = "2026-11-21T12:00:00+00:00";

export const snapshot = (more: JsonObject = {}): JsonObject => ({
  type: "chat.snapshot",
  data: { ...(emptyView("c1") as unknown as JsonObject), log_id: "L1", title: "Refunds", agent: "desk", ...more },
});

/** Events of one chat, numbered as they are made. */
export function events(from = 0) {
  let seq = from;
  const event = (type: string, data: JsonObject, by?: string): JsonObject => ({
    ...{ seq: ++seq, type, at: AT, data },
    ...(by === undefined ? {} : { by }),
  });
  return {
    message: (content: string, more: JsonObject = {}) =>
      event("chat.message", { message_id: `m${seq + 1}`, role: "assistant", content, ...more }),
    run: (status: string) => event("chat.run", { run_id: "r1", task_id: "t1", status }),
    card: (id: string, payload: JsonObject = approval(id)) =>
      event("chat.ui_tool", { ui_tool_id: "refund", eventId: id, workflow_name: "desk", display: "inline", payload }),
    settled: (id: string, status: string, by = "ana") =>
      event(
        "chat.ui_tool_complete",
        { ui_tool_id: "refund", eventId: id, display: "inline", status, summary: `Refund ${id} ${status}`, code: `settled.${status === "completed" ? "approved" : status}`, params: { name: `Refund ${id}` } },
        by,
      ),
  };
}

export function approval(id: string): JsonObject {
  return {
    title: `Refund ${id}`,
    tool_name: "refund",
    tool_params: { order: id },
    entity_details: { order: id },
    requires_reason: true,
    sayso: { card: "approval", interaction_type: "tool_approval", digest: "sha256:aa", revision: 1, assignees: [] },
  };
}

export function interaction(id: string, more: Partial<Interaction> = {}): Interaction {
  return {
    ...{ interaction_id: id, chat_id: "c1", run_id: "r1", task_id: "t1", interaction_type: "tool_approval" },
    ...{ card: "approval", ui_tool_id: "refund", title: `Refund ${id}`, agent_name: "desk", display: "inline" },
    ...{ status: "pending", created_at: AT, assignees: [], payload: approval(id) },
    ...more,
  } as Interaction;
}

export const delta = (offset: number, text: string): JsonObject => ({
  type: "chat.delta",
  data: { message_id: "live", offset, text, agent_name: "desk" },
});
