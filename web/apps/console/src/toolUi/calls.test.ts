import { Problem, type UiCall } from "@sayso/core";
import { expect, it, vi } from "vitest";
import { createUiCalls } from "./calls.ts";

const call = (state: UiCall["state"], more: Partial<UiCall> = {}): UiCall => ({ id: "c1", tool: "remove", state, cards: [], result: null, ...more });
const ended = call("ended", { result: { content: [] } });
const pause = async () => undefined;

function world(...answers: (UiCall | Error)[]) {
  const seen: string[][] = [];
  const api = {
    askForUi: vi.fn(async () => ({ result: null, call: call("running") }) as { result: null; call: UiCall }),
    uiCalls: vi.fn(async () => [call("waiting", { cards: ["i1"] })]),
    uiCall: vi.fn(async () => {
      const next = answers.shift() ?? ended;
      if (next instanceof Error) throw next;
      return next;
    }),
  };
  const calls = createUiCalls(api, "of", (open) => seen.push(open.map(({ state }) => state)), pause);
  return { api, calls, seen };
}

it("gives what came at once", async () => {
  const { api, calls, seen } = world();
  api.askForUi.mockResolvedValueOnce({ result: { content: [] }, call: null } as never);
  expect(await calls.ask("tools/call", {})).toEqual({ content: [] });
  expect(seen).toEqual([]);
});

it("waits for a call that a person has to allow, and tells how it stands", async () => {
  const { api, calls, seen } = world(call("waiting", { cards: ["i1"] }), call("running"), ended);
  expect(await calls.ask("tools/call", {})).toEqual({ content: [] });
  expect(api.uiCall.mock.calls.map((args) => (args as unknown[])[2])).toEqual(["running", "waiting", "running"]);
  expect(seen).toEqual([["running"], ["waiting"], ["running"], ["ended"]]);
});

it("goes on after a connection that broke, and not after a refusal", async () => {
  const broken = new Problem({ type: "", title: "", status: 0, detail: "away", code: "unreachable", fix: "" });
  const refused = new Problem({ type: "", title: "", status: 404, detail: "gone", code: "not_found", fix: "" });
  expect(await world(broken, ended).calls.ask("tools/call", {})).toEqual({ content: [] });
  await expect(world(refused).calls.ask("tools/call", {})).rejects.toBe(refused);
});

it("shows what was open before this page was, and follows it once", async () => {
  const { api, calls, seen } = world();
  api.askForUi.mockResolvedValue({ result: null, call: call("waiting") });
  let answer: (call: UiCall) => void = () => undefined;
  api.uiCall.mockReturnValue(new Promise((done) => (answer = done)));
  await calls.find();
  const asked = calls.ask("tools/call", {});
  await vi.waitFor(() => expect(api.askForUi).toHaveBeenCalled());
  await Promise.resolve();
  answer(ended);
  expect(await asked).toEqual({ content: [] });
  expect(api.uiCall).toHaveBeenCalledTimes(1);
  expect(seen).toEqual([["waiting"], ["ended"]]);
});
