// The REST API: problems as errors, keys that hold until an answer is known to have arrived.
import { expect, it, onTestFinished } from "vitest";
import chinese from "../../../locales/zh-Hans.po";
import { createApi } from "./api.ts";
import { Problem } from "./problem.ts";
import { speak } from "./speak.ts";
import type { JsonValue } from "./wire/types.ts";

type Said = { status: number; body: JsonValue } | "no answer";

function start(...answers: Said[]) {
  const asked: { path: string; init: RequestInit; headers: Headers }[] = [];
  let ids = 0;
  const api = createApi({
    uuid: () => `key-${++ids}`,
    async fetch(path, init) {
      asked.push({ path, init, headers: new Headers(init.headers) });
      const said = answers.shift() ?? { status: 200, body: {} };
      if (said === "no answer") throw new TypeError("failed to fetch");
      return new Response(JSON.stringify(said.body), { status: said.status });
    },
  });
  return { api, asked };
}

const refusal = (status: number, code: string): Said => ({
  status,
  body: { type: "t", title: "T", status, code, detail: "D", fix: "F", errors: [{ path: "reason", message: "is missing" }] },
});
const caught = (promise: Promise<unknown>) => promise.then(() => null, (error: unknown) => error as Problem);

it("turns a problem document into an error that knows its fields", async () => {
  const { api } = start(refusal(422, "answer_invalid"));
  const problem = await caught(api.answer("i1", { approved: false }));
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ code: "answer_invalid", title: "T", detail: "D", fix: "F" });
  expect(problem?.errorAt("reason")).toBe("is missing");
});

it("says a known problem in the reader's language by its code, and any other as the server does", async () => {
  const { api } = start(refusal(409, "stale_digest"), refusal(500, "of_tomorrow"));
  await speak("zh-Hans", chinese);
  onTestFinished(() => speak("en", {}));
  expect(await caught(api.chats())).toMatchObject({ title: "提案已变化", detail: "请先查看新的提案，再作答复。", fix: "" });
  expect(await caught(api.chats())).toMatchObject({ title: "T", detail: "D", fix: "F" });
});

it("says something useful when what answers is no Sayso", async () => {
  const { api } = start({ status: 502, body: null });
  expect(await caught(api.chats())).toMatchObject({ detail: "The server answered with 502", document: { status: 502 } });
});

it("knows no more of an answer that breaks off than of one that never came", async () => {
  const breaking = new ReadableStream({ start: (body) => body.error(new TypeError("network error")) });
  const api = createApi({ fetch: async () => new Response(breaking), uuid: () => "key" });
  expect(await caught(api.chats())).toMatchObject({ code: "unreachable" });
});

it("sends an unanswered answer under the same key, and another or a refused one under a new key", async () => {
  const { api, asked } = start("no answer", refusal(422, "answer_invalid"));
  expect(await caught(api.answer("i1", { approved: true }))).toMatchObject({ code: "unreachable" });
  await caught(api.answer("i1", { approved: true }));
  await api.answer("i1", { approved: true });
  await api.answer("i1", { approved: false, user_message: "no" });
  expect(asked.map(({ headers }) => headers.get("idempotency-key"))).toEqual(["key-1", "key-1", "key-2", "key-3"]);
});

it("names the version a change was made on", async () => {
  const { api, asked } = start();
  await api.saveArtifact("a/1", 3, { content: "x" });
  expect(asked[0]?.path).toBe("/api/artifacts/a%2F1");
  expect(asked[0]?.headers.get("if-match")).toBe('"3"');
});

it("leaves out of a query what was not asked", async () => {
  const { api, asked } = start({ status: 200, body: { interactions: [{ interaction_id: "i1" }], next: 7 } });
  const page = await api.interactions({ status: "pending" });
  expect(asked[0]?.path).toBe("/api/interactions?status=pending");
  expect(page).toEqual({ items: [{ interaction_id: "i1" }], next: 7 });
});

it("changes one value that an action needs, clears it, and starts over", async () => {
  const view: JsonValue = { id: "c1", seq: 3, messages: [], tool_calls: [], artifacts: [], live: [] };
  const { api, asked } = start({ status: 200, body: view }, { status: 200, body: view }, { status: 200, body: view });
  await api.changeRequirement("c1", "trip_duration", "P10D");
  await api.changeRequirement("c1", "trip_duration", null);
  await api.startOver("c1");
  expect(asked.map(({ path, init }) => [init.method, path, init.body])).toEqual([
    ["PATCH", "/api/chats/c1/requirements", '{"field":"trip_duration","value":"P10D"}'],
    ["PATCH", "/api/chats/c1/requirements", '{"field":"trip_duration","value":null}'],
    ["POST", "/api/chats/c1/requirements/reset", undefined],
  ]);
});
