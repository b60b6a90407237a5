import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { serveToolUi } from "./toolUiBridge.ts";

const GIVEN = { tool_input: { n: 1 }, tool_result: { content: [], _meta: { id: "x" } } };

let app: { postMessage: ReturnType<typeof vi.fn> };
let stop: () => void;
const heights: number[] = [];
const ready = vi.fn();

beforeEach(() => {
  heights.length = 0;
  ready.mockClear();
  app = { postMessage: vi.fn() };
  stop = serveToolUi(app as unknown as Window, GIVEN, { theme: "dark" }, { ready, height: (pixels) => heights.push(pixels) });
});
afterEach(() => stop());

function hears(data: unknown, source: unknown = app) {
  dispatchEvent(Object.assign(new Event("message"), { data, source }));
}

const sent = () => app.postMessage.mock.calls.map(([message]) => message);

it("gives input and result once the app has said that it is ready, and not before", () => {
  expect(sent()).toEqual([]);
  hears({ jsonrpc: "2.0", id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26" } });
  expect(sent()[0].result).toMatchObject({ protocolVersion: "2026-01-26", hostContext: { theme: "dark" } });
  hears({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
  hears({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
  expect(sent().slice(1).map(({ method }) => method)).toEqual(["ui/notifications/tool-input", "ui/notifications/tool-result"]);
  expect(sent()[2].params).toEqual(GIVEN.tool_result);
  expect(ready).toHaveBeenCalledTimes(1);
});

it("hears only its own frame, and only JSON-RPC", () => {
  hears({ jsonrpc: "2.0", id: 1, method: "ping" }, window);
  hears("ping");
  hears({ id: 1, method: "ping" });
  expect(sent()).toEqual([]);
});

it.each(["tools/call", "resources/read", "ui/message", "ui/open-link", "sampling/createMessage", "interaction/answer"])("refuses %s", (method) => {
  hears({ jsonrpc: "2.0", id: 7, method, params: {} });
  expect(sent()).toMatchObject([{ id: 7, error: { code: -32601 } }]);
});

it("keeps the height within bounds", () => {
  for (const height of [1e9, -5, NaN, Infinity, "9", null, 320.4]) {
    hears({ jsonrpc: "2.0", method: "ui/notifications/size-changed", params: { height } });
  }
  expect(heights).toEqual([2000, 80, 320]);
});

it("drops a flood", () => {
  for (let n = 0; n < 500; n++) {
    dispatchEvent(Object.assign(new Event("message"), { data: { jsonrpc: "2.0", id: n, method: "ping" }, source: app }));
  }
  expect(sent().length).toBeLessThan(400);
});
