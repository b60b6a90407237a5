import { Problem } from "@sayso/core";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type ServedToolUi, serveToolUi } from "./bridge.ts";

const GIVEN = { tool_input: { n: 1 }, tool_result: { content: [], _meta: { id: "x" } } };

let app: { postMessage: ReturnType<typeof vi.fn> };
let served: ServedToolUi;
let host: ReturnType<typeof makeHost>;

function makeHost() {
  return {
    context: vi.fn(() => ({ theme: "dark" })),
    ready: vi.fn(),
    height: vi.fn(),
    ask: vi.fn(async () => ({ content: [] }) as never),
    message: vi.fn(async () => true),
    note: vi.fn(() => true),
    openLink: vi.fn(async () => false),
    download: vi.fn(async () => true),
    showAs: vi.fn((mode: string) => mode || "inline"),
    close: vi.fn(),
  };
}

beforeEach(() => {
  host = makeHost();
  app = { postMessage: vi.fn() };
  served = serveToolUi(app as unknown as Window, GIVEN, host);
});
afterEach(() => void served.end());

function hears(data: unknown, source: unknown = app) {
  dispatchEvent(Object.assign(new Event("message"), { data, source }));
}
const ask = (method: string, params: object = {}, id: number | string = 7) => hears({ jsonrpc: "2.0", id, method, params });
const initialize = (modes?: string[]) => ask("ui/initialize", { protocolVersion: "2026-01-26", appCapabilities: { availableDisplayModes: modes } }, 1);
const sent = () => app.postMessage.mock.calls.map(([message]) => message);
const answered = async (id: number | string = 7) => {
  await vi.waitFor(() => expect(sent().some((message) => message.id === id)).toBe(true));
  return sent().find((message) => message.id === id);
};

it("gives input and result once the app has said that it is ready, and not before", async () => {
  expect(sent()).toEqual([]);
  initialize();
  expect((await answered(1)).result).toMatchObject({ protocolVersion: "2026-01-26", hostContext: { theme: "dark" } });
  served.changed();
  hears({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
  hears({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
  expect(sent().slice(1).map(({ method }) => method)).toEqual(["ui/notifications/tool-input", "ui/notifications/tool-result"]);
  expect(sent()[2].params).toEqual(GIVEN.tool_result);
  expect(host.ready).toHaveBeenCalledTimes(1);
  served.changed();
  expect(sent().at(-1)).toMatchObject({ method: "ui/notifications/host-context-changed", params: { theme: "dark" } });
});

it("hears only its own frame, and only JSON-RPC", () => {
  ask("ping");
  app.postMessage.mockClear();
  hears({ jsonrpc: "2.0", id: 1, method: "ping" }, window);
  hears("ping");
  hears({ id: 1, method: "ping" });
  hears({ jsonrpc: "2.0", id: {}, method: "ui/message", params: {} });
  expect(host.message).not.toHaveBeenCalled();
});

it.each(["tools/list", "sampling/createMessage", "interaction/answer", "ui/notifications/sandbox-resource-ready", "elicitation/create"])(
  "refuses %s",
  async (method) => {
    ask(method);
    expect(await answered()).toMatchObject({ error: { code: -32601 } });
  },
);

it("passes on what its server is asked, and says what was said", async () => {
  ask("tools/call", { name: "look" });
  expect((await answered()).result).toEqual({ content: [] });
  expect(host.ask).toHaveBeenCalledWith("tools/call", { name: "look" });
  host.ask.mockRejectedValueOnce(new Problem({ type: "", title: "", status: 403, detail: "No.", code: "forbidden", fix: "" }));
  ask("resources/read", { uri: "ui://a" }, 8);
  expect((await answered(8)).error).toMatchObject({ code: -32000, message: "No.", data: { code: "forbidden" } });
});

it("says yes and no as the protocol does", async () => {
  ask("ui/message", { role: "user" }, 1);
  expect((await answered(1)).result).toEqual({});
  ask("ui/open-link", { url: "https://a.test" }, 2);
  expect((await answered(2)).result).toEqual({ isError: true });
  host.note.mockReturnValueOnce(false);
  ask("ui/update-model-context", {}, 3);
  expect((await answered(3)).error.code).toBe(-32602);
});

it("shows an app in no mode that it has not declared", async () => {
  initialize(["inline"]);
  ask("ui/request-display-mode", { mode: "fullscreen" }, 2);
  await answered(2);
  expect(host.showAs).toHaveBeenLastCalledWith("");
  initialize(["fullscreen"]);
  ask("ui/request-display-mode", { mode: "fullscreen" }, 3);
  expect((await answered(3)).result).toEqual({ mode: "fullscreen" });
});

it("takes nothing that is large, or no JSON", async () => {
  ask("ui/update-model-context", { content: [{ type: "text", text: "x".repeat(2 ** 20) }] }, 1);
  expect((await answered(1)).error.code).toBe(-32602);
  ask("tools/call", { arguments: new Map() }, 2);
  expect((await answered(2)).error.code).toBe(-32602);
  expect(host.note).not.toHaveBeenCalled();
  expect(host.ask).not.toHaveBeenCalled();
});

it("answers few questions at once", async () => {
  host.ask.mockReturnValue(new Promise(() => undefined));
  for (let id = 1; id <= 21; id++) ask("tools/call", {}, id);
  expect((await answered(21)).error.code).toBe(-32000);
  expect(host.ask).toHaveBeenCalledTimes(20);
});

it("keeps the height within bounds", () => {
  for (const height of [1e9, -5, NaN, Infinity, "9", null, 320.4]) {
    hears({ jsonrpc: "2.0", method: "ui/notifications/size-changed", params: { height } });
  }
  expect(host.height.mock.calls.flat()).toEqual([2000, 80, 320]);
});

it("drops a flood", () => {
  for (let n = 0; n < 500; n++) hears({ jsonrpc: "2.0", method: "ui/notifications/size-changed", params: { height: n } });
  expect(host.height.mock.calls.length).toBeLessThan(400);
});

it("waits until the app has heard that it goes", async () => {
  initialize();
  hears({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
  let isOver = false;
  const ending = served.end().then(() => (isOver = true));
  expect(sent().at(-1)).toMatchObject({ id: "teardown", method: "ui/resource-teardown" });
  expect(isOver).toBe(false);
  hears({ jsonrpc: "2.0", id: "teardown", result: {} });
  await ending;
  ask("ui/message", {}, 9);
  expect(host.message).not.toHaveBeenCalled();
});

it("closes where the app asks for it", () => {
  hears({ jsonrpc: "2.0", method: "ui/notifications/request-teardown" });
  expect(host.close).toHaveBeenCalledTimes(1);
});
