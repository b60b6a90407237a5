// The REST API: one function per route, problems as errors.
import type { Answer } from "./actions.ts";
import { createAnswerKeys } from "./answerKeys.ts";
import type { NewMessage } from "./client.ts";
import { Problem, type ProblemDocument, unreachable } from "./problem.ts";
import { t } from "./text.ts";
import { isObject, readProblem, readView } from "./wire/read.ts";
import type {
  AgentSummary,
  HeldTool,
  ToolServer,
  AlwaysAllowed,
  AuditEntry,
  AuditReport,
  ChatSummary,
  HistoryEntry,
  HistoryQuery,
  NoticePlace,
  Interaction,
  InteractionQuery,
  Settled,
  Similar,
  Page,
  PendingCounts,
  Remembered,
  Sent,
  UiCall,
  UiRpc,
} from "./wire/rest.ts";
import type { ArtifactItem, ChatView, JsonObject, JsonValue } from "./wire/types.ts";

export interface ApiOptions {
  fetch: (path: string, init: RequestInit) => Promise<Response>;
  uuid: () => string;
}

type Query = { readonly [name: string]: string | number | undefined };

export type Api = ReturnType<typeof createApi>;

export function createApi({ fetch, uuid }: ApiOptions) {
  const keys = createAnswerKeys(uuid);

  async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const init: RequestInit = { method, headers: { accept: "application/json", ...headers } };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { ...init.headers, "content-type": "application/json" };
    }
    let response: Response;
    try {
      response = await fetch(path, init);
    } catch {
      throw unreachable();
    }
    if (response.ok) return response;
    const said = await read(response);
    throw new Problem(
      isObject(said)
        ? readProblem(said)
        : readProblem({ title: t("The server answered with {status}", { status: response.status }), status: response.status }),
    );
  }

  const call = async (...request: Parameters<typeof send>) => read(await send(...request));
  const get = (path: string, query: Query = {}) => call("GET", path + asQuery(query));

  async function list<T>(name: string, path: string, query: Query): Promise<Page<T>> {
    const said = (await get(path, query)) as unknown as Record<string, T[]> & { next?: string | number | null };
    return { items: said[name] ?? [], next: said.next ?? null };
  }

  async function settle(interactionId: string, act: () => Promise<JsonValue>): Promise<Settled> {
    try {
      const outcome = await act();
      keys.forget(interactionId);
      return outcome as unknown as Settled;
    } catch (error) {
      if (error instanceof Problem && error.document.status !== 0) keys.forget(interactionId);
      throw error;
    }
  }

  const chat = (id: string) => `/api/chats/${encodeURIComponent(id)}`;
  const uiOf = (callId: string) => `/api/mcp/apps/${encodeURIComponent(callId)}`;
  const interaction = (id: string) => `/api/interactions/${encodeURIComponent(id)}`;

  return {
    /** Who is looking. */
    /** For routes that only a part of a page uses, which loads on demand. */
    call,

    session: async () => (await get("/api/session")) as unknown as { person: string; role: string },

    agents: async () => ((await get("/api/agents")) as unknown as { agents: AgentSummary[] }).agents,

    chats: (query: { q?: string; limit?: number; before?: string | number } = {}) =>
      list<ChatSummary>("chats", "/api/chats", query),

    createChat: async (body: { agent?: string; title?: string } = {}) =>
      readView(await call("POST", "/api/chats", body)),

    chat: async (id: string, query: { before?: number; limit?: number } = {}): Promise<ChatView> =>
      readView(await get(chat(id), query)),

    rename: async (id: string, title: string) => readView(await call("PATCH", chat(id), { title })),

    /** Set one value that an action needs; null clears it. An open card that shows it becomes a new revision. */
    changeRequirement: async (id: string, field: string, value: JsonValue) =>
      readView(await call("PATCH", `${chat(id)}/requirements`, { field, value })),

    /** Forget every value of a chat and every grant; its messages stay. */
    startOver: async (id: string) => readView(await call("POST", `${chat(id)}/requirements/reset`)),

    message: async (id: string, body: NewMessage) =>
      (await call("POST", `${chat(id)}/messages`, body)) as unknown as Sent,

    /** Take back words that wait for their turn. */
    withdraw: (id: string, messageId: string) => call("DELETE", `${chat(id)}/messages/${encodeURIComponent(messageId)}`),

    interactions: (query: InteractionQuery = {}) => list<Interaction>("interactions", "/api/interactions", query),

    /** How many cards wait, by card and by agent. */
    counts: async () => (await get("/api/interactions/counts")) as unknown as PendingCounts,

    interaction: async (id: string) => (await get(interaction(id))) as unknown as Interaction,

    /** Repeat the same key for the same body until it is known to have arrived. */
    answer: (id: string, body: Answer) =>
      settle(id, () =>
        call("POST", `${interaction(id)}/response`, body, { "idempotency-key": keys.keyFor(id, body) }),
      ),

    dismiss: (id: string, reason?: string) =>
      settle(id, () => call("POST", `${interaction(id)}/dismiss`, reason ? { reason } : {})),

    /** `seen` is the deadline that was on the screen, so that two people asking at once do not add up. */
    extend: async (id: string, seconds: number, seen?: string) =>
      (await call("POST", `${interaction(id)}/extend`, seen ? { seconds, seen } : { seconds })) as unknown as Interaction,

    /** A file that a card shows, by its digest. */
    file: async (id: string, digest: string) => (await send("GET", `${interaction(id)}/files/${digest}`)).blob(),

    /** What people decided of calls of the same tool lately; null for what is no approval. */
    similar: async (id: string, query: { argument?: string; at_most?: number } = {}) =>
      (await get(`${interaction(id)}/similar`, query)) as unknown as { days: number; similar: Similar | null },

    /** Say who is looking at it: oneself, or `person`, to whom it is handed. */
    claim: async (id: string, body: { person?: string; note?: string; seconds?: number; take_over?: boolean }) =>
      (await call("PUT", `${interaction(id)}/claim`, body)) as unknown as Interaction,

    release: async (id: string) => void (await call("DELETE", `${interaction(id)}/claim`)),

    snooze: async (id: string, until: Date) =>
      (await call("PUT", `${interaction(id)}/snooze`, { until: until.toISOString() })) as unknown as Interaction,

    unsnooze: async (id: string) => void (await call("DELETE", `${interaction(id)}/snooze`)),

    /** Several answers in one step; each is settled or refused by itself, in this order. */
    answerAll: async (answers: readonly { id: string; body: Answer }[]) => {
      const items = answers.map(({ id, body }) => ({ interaction_id: id, key: keys.keyFor(id, body), body }));
      const { results } = (await call("POST", "/api/interactions/responses", items)) as unknown as {
        results: { interaction_id: string; ok?: Settled; problem?: ProblemDocument }[];
      };
      for (const { id } of answers) keys.forget(id);
      return results;
    },

    history: (query: HistoryQuery & { before?: string; limit?: number } = {}) =>
      list<HistoryEntry>("entries", "/api/history", query),

    toolServers: async () => ((await get("/api/admin/tool-servers")) as unknown as { servers: ToolServer[] }).servers,

    /** Agree to a held tool as it was shown; one that has changed since is refused. */
    agreeToTool: async (server: string, { tool, digest }: HeldTool) =>
      ((await call("POST", `/api/admin/tool-servers/${encodeURIComponent(server)}/agree`, { tool, digest })) as unknown as {
        servers: ToolServer[];
      }).servers,

    pendingUiTools: (query: { before?: string; limit?: number } = {}) =>
      list<Interaction>("pending", "/api/admin/pending", query),

    audit: (query: { chat?: string; before?: number; limit?: number } = {}) =>
      list<AuditEntry>("entries", "/api/audit", query),

    verifyAudit: async () => (await get("/api/audit/verify")) as unknown as AuditReport,

    preferences: async () => (await get("/api/preferences")) as unknown as JsonObject,

    /** Sets these and keeps the others; null removes one. */
    savePreferences: async (values: JsonObject) => (await call("PUT", "/api/preferences", values)) as unknown as JsonObject,

    /** What a browser subscribes to push notices with; null where the server sends none. */
    pushKey: async () => ((await get("/api/push")) as unknown as { public_key: string | null }).public_key,

    putPushSubscription: async (subscription: object) =>
      (await call("PUT", "/api/push/subscriptions", subscription as JsonObject)) as unknown as { id: string },

    forgetPushSubscription: async (id: string) => {
      await call("DELETE", `/api/push/subscriptions/${encodeURIComponent(id)}`);
    },

    noticePlaces: async () => (await get("/api/notices")) as unknown as { mail: boolean; places: NoticePlace[] },

    /** `secret` is what a webhook's notices are signed with. */
    putNoticePlace: async (address: string, language: string) =>
      (await call("PUT", "/api/notices", { address, language })) as unknown as { id: string; secret: string | null },

    forgetNoticePlace: async (id: string) => {
      await call("DELETE", `/api/notices/${encodeURIComponent(id)}`);
    },

    alwaysAllowed: async () =>
      ((await get("/api/preferences/always-allow")) as unknown as { rules: AlwaysAllowed[] }).rules,

    /** What this person chose when they were last asked the same, by field; empty if nothing is remembered. */
    lastChoice: async (id: string) =>
      ((await get(`${interaction(id)}/last-choice`)) as unknown as { values: JsonObject }).values,

    lastChoices: async () =>
      ((await get("/api/preferences/choices")) as unknown as { choices: Remembered[] }).choices,

    forgetChoices: async () => void (await call("DELETE", "/api/preferences/choices")),

    setChatPreference: async (chatId: string, key: string, value: JsonValue) =>
      readView(await call("PUT", `${chat(chatId)}/preferences`, { key, value })),

    retry: async (toolCallId: string, args?: JsonObject) =>
      (await call(
        "POST",
        `/api/tool-calls/${encodeURIComponent(toolCallId)}/retry`,
        args === undefined ? {} : { arguments: args },
      )) as unknown as Sent,

    retryRun: async (runId: string) => {
      await call("POST", `/api/runs/${encodeURIComponent(runId)}/retry`);
    },

    /** The JSON Schema by which a tool wants its result drawn, and that result whole. */
    toolUiSchema: async (callId: string) => {
      const { ui_content, tool_result } = (await get(`${uiOf(callId)}/ui`)) as unknown as { ui_content: string; tool_result: JsonValue };
      return { schema: JSON.parse(ui_content) as JsonObject, result: tool_result };
    },

    /** What a tool's own UI is given, and an address for one look at it; null where this server has none. */
    toolUi: async (callId: string) => {
      const path = uiOf(callId);
      const { tool_input, tool_result } = (await get(`${path}/ui`)) as unknown as {
        tool_input: JsonObject;
        tool_result: JsonValue;
      };
      const { src } = (await call("POST", `${path}/frame`)) as unknown as { src: string | null };
      return { src, tool_input, tool_result };
    },

    /** Pass on what an app asks of its own server. */
    askForUi: async (callId: string, method: string, params: JsonObject) =>
      (await call("POST", `${uiOf(callId)}/rpc`, { method, params })) as unknown as UiRpc,

    /** The calls of an app that are not at their end. */
    uiCalls: async (callId: string) => ((await get(`${uiOf(callId)}/calls`)) as unknown as { calls: UiCall[] }).calls,

    /** One of them, as soon as it no longer stands as it was seen. */
    uiCall: async (callId: string, id: string, seen: UiCall["state"]) =>
      (await get(`${uiOf(callId)}/calls/${encodeURIComponent(id)}`, { wait: 25, seen })) as unknown as UiCall,

    artifact: async (id: string) => (await get(`/api/artifacts/${encodeURIComponent(id)}`)) as unknown as ArtifactItem,

    /** Fails with `version_conflict` if someone changed it after `version`. */
    saveArtifact: async (id: string, version: number, body: { content: JsonValue; title?: string }) =>
      (await call("PUT", `/api/artifacts/${encodeURIComponent(id)}`, body, {
        "if-match": `"${version}"`,
      })) as unknown as ArtifactItem,
  };
}

async function read(response: Response): Promise<JsonValue> {
  let text: string;
  try {
    text = await response.text();
  } catch {
    // The response broke off: its outcome is as unknown as if nothing had come.
    throw unreachable();
  }
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

/** Build `?a=1&b=2` from the given values, or an empty string. */
export function asQuery(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([k, v]) => [k, String(v)]))}`;
}
