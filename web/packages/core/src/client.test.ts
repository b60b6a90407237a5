// The client against a server that the test plays: cuts, holes, doubles, and answers that must arrive once.
import { expect, it } from "vitest";
import { createChatClient } from "./client.ts";
import { emptyView } from "./fold.ts";
import { Problem } from "./problem.ts";
import { createChatStore } from "./store.ts";
import { fakeScheduler, linkedSockets } from "./testing/world.ts";
import type { JsonObject } from "./wire/types.ts";

const AT = "2026-11-21T12:00:00+00:00";

function start(probe?: () => Promise<unknown>) {
  const scheduler = fakeScheduler();
  const sockets = linkedSockets();
  const store = createChatStore(scheduler);
  const options = { chatId: "c1", store, scheduler, open: sockets.open };
  const client = createChatClient(probe === undefined ? options : { ...options, probe });
  const seen = () => {
    scheduler.draw();
    return store.getSnapshot();
  };
  return { scheduler, sockets, store, client, seen, texts: () => seen().view?.messages.map((m) => m.content) };
}

/** A started client whose first snapshot is there. */
function live() {
  const world = start();
  world.sockets.last().accept();
  world.sockets.last().say(snapshot(0));
  return world;
}

const snapshot = (seq: number, more: JsonObject = {}): JsonObject => ({
  type: "chat.snapshot",
  data: { ...(emptyView("c1") as unknown as JsonObject), log_id: "L1", seq, ...more },
});

const written = (seq: number, content = `text ${seq}`, id = `m${seq}`): JsonObject => ({
  seq,
  type: "chat.message",
  at: AT,
  data: { message_id: id, role: "assistant", content, status: "complete", metadata: {} },
});

const delta = (offset: number, text: string): JsonObject => ({
  type: "chat.delta",
  data: { message_id: "m9", offset, text, agent_name: null },
});

it("connects without a cursor and draws the snapshot and what follows", () => {
  const { sockets, texts, seen } = start();
  expect(sockets.last().path).toBe("/api/chats/c1/live");
  expect(seen().connection).toEqual({ state: "connecting" });
  sockets.last().accept();
  sockets.last().say(snapshot(0));
  sockets.last().say(written(1));
  expect(texts()).toEqual(["text 1"]);
  expect(seen().connection).toEqual({ state: "live" });
});

it("tells its listeners once per picture, however many frames came", () => {
  const { sockets, store, scheduler } = live();
  scheduler.draw();
  let told = 0;
  store.subscribe(() => (told += 1));
  for (let seq = 1; seq <= 50; seq++) sockets.last().say(written(seq));
  expect(told).toBe(0);
  scheduler.draw();
  expect(told).toBe(1);
});

it("reconnects with its cursor and goes on where it was", () => {
  const { sockets, scheduler, texts, seen } = live();
  sockets.last().say(written(1));
  sockets.last().cut();
  expect(seen().connection).toEqual({ state: "lost", since: 0, attempt: 1 });
  scheduler.advance(250);
  expect(sockets.last().path).toBe("/api/chats/c1/live?after=L1%3A1");
  sockets.last().accept();
  sockets.last().say(written(2));
  expect(texts()).toEqual(["text 1", "text 2"]);
  expect(seen().connection).toEqual({ state: "live" });
});

it("waits longer from try to try, up to a limit, and counts anew after a good connection", () => {
  const { sockets, scheduler, seen } = live();
  const waits: number[] = [];
  sockets.last().cut();
  for (let i = 0; i < 9; i++) {
    const before = scheduler.now();
    const count = sockets.ends.length;
    while (sockets.ends.length === count) scheduler.advance(50);
    waits.push(scheduler.now() - before);
    sockets.last().cut();
  }
  expect(waits.slice(0, 4)).toEqual([250, 500, 1000, 2000]);
  expect(Math.max(...waits)).toBe(15_000);
  expect(seen().connection).toMatchObject({ state: "lost", since: 0, attempt: 10 });
  scheduler.advance(15_000);
  sockets.last().accept();
  scheduler.advance(5_000);
  sockets.last().cut();
  expect(seen().connection).toMatchObject({ state: "lost", attempt: 1 });
});

it("tries at once when it is woken", () => {
  const { sockets, client } = live();
  sockets.last().cut();
  const before = sockets.ends.length;
  client.wake();
  client.wake();
  expect(sockets.ends.length).toBe(before + 1);
});

it("drops events it has seen", () => {
  const { sockets, texts } = live();
  for (const seq of [1, 2, 1, 2]) sockets.last().say(written(seq));
  sockets.last().say(written(2, "said otherwise"));
  expect(texts()).toEqual(["text 1", "text 2"]);
});

it("asks again from its cursor when an event is missing, and shows nothing out of order", () => {
  const { sockets, texts, seen } = live();
  const first = sockets.last();
  first.say(written(1));
  first.say(written(3));
  expect(first.isClosed).toBe(true);
  expect(texts()).toEqual(["text 1"]);
  expect(seen().connection).toEqual({ state: "live" });
  const second = sockets.last();
  expect(second.path).toContain("after=L1%3A1");
  second.accept();
  first.say(written(2, "from the socket let go"));
  second.say(written(2));
  second.say(written(3));
  expect(texts()).toEqual(["text 1", "text 2", "text 3"]);
});

it("takes the whole picture when the hole is there again, and waits when even that does not help", () => {
  const { sockets, seen } = live();
  sockets.last().say(written(5));
  sockets.last().accept();
  sockets.last().say(written(5));
  expect(sockets.last().path).toBe("/api/chats/c1/live");
  sockets.last().accept();
  sockets.last().say(written(5));
  sockets.last().accept();
  sockets.last().say(written(5));
  expect(seen().connection).toMatchObject({ state: "lost" });
});

it("counts events of unknown types and ignores unknown frames", () => {
  const { sockets, store, texts } = live();
  sockets.last().say({ seq: 1, type: "chat.of_tomorrow", at: AT, data: { x: 1 } });
  sockets.last().say({ type: "chat.whisper", data: {} });
  sockets.last().say(written(2));
  expect(store.cursor()).toEqual({ logId: "L1", seq: 2 });
  expect(texts()).toEqual(["text 2"]);
});

it("ends, and says so, when a known event cannot be read", () => {
  const { sockets, scheduler, seen } = live();
  sockets.last().say({ seq: 1, type: "chat.message", at: AT, data: { message_id: "m" } });
  expect(seen().connection).toMatchObject({ state: "closed", problem: { code: "protocol" } });
  scheduler.advance(60_000);
  expect(sockets.ends).toHaveLength(1);
});

it("replaces everything by a snapshot of another log", () => {
  const { sockets, scheduler, store, texts } = live();
  sockets.last().say(written(1));
  sockets.last().cut();
  scheduler.advance(250);
  sockets.last().accept();
  sockets.last().say(snapshot(7, { log_id: "L2" }));
  sockets.last().say(written(8));
  expect(texts()).toEqual(["text 8"]);
  expect(store.cursor()).toEqual({ logId: "L2", seq: 8 });
});

it("joins text, and asks for a sync when a piece is missing", () => {
  const { sockets, seen } = live();
  const text = () => seen().view?.live.map((entry) => entry.text);
  sockets.last().say(delta(0, "Hello"));
  sockets.last().say(delta(3, "lo, 🙂"));
  expect(text()).toEqual(["Hello, 🙂"]);
  sockets.last().say(delta(9, "gone"));
  expect(sockets.ends).toHaveLength(2);
  expect(text()).toEqual(["Hello, 🙂"]);
  sockets.last().accept();
  sockets.last().say({ type: "chat.live", data: { message_id: "m9", text: "Hello, 🙂!", agent_name: null } });
  sockets.last().say(delta(9, "?"));
  expect(text()).toEqual(["Hello, 🙂!?"]);
  sockets.last().say(written(1, "Hello, 🙂!?", "m9"));
  expect(text()).toEqual([]);
});

it("connects again from its cursor when it is told that it fell behind", () => {
  const { sockets } = live();
  sockets.last().say(written(1));
  sockets.last().say({ type: "chat.sync", data: {} });
  expect(sockets.last().path).toContain("after=L1%3A1");
});

it("resolves with what the server acknowledged and rejects with its problem", async () => {
  const { sockets, client } = live();
  const sent = client.message({ content: "hi", client_message_id: "x" });
  const refused = client.answer("i1", { approved: false });
  expect(sockets.last().heard).toEqual([
    { ref: "1", type: "message", data: { content: "hi", client_message_id: "x" } },
    { ref: "2", type: "answer", data: { interaction_id: "i1", key: "id-1", body: { approved: false } } },
  ]);
  const errors = [{ path: "reason", message: "needs a reason" }];
  sockets.last().say({ ref: "2", problem: { type: "x", title: "T", status: 422, code: "answer_invalid", detail: "d", errors } });
  sockets.last().say({ ref: "1", ok: { run_id: "r1", message_id: "m1", status: "started" } });
  expect(await sent).toEqual({ run_id: "r1", message_id: "m1", status: "started" });
  const problem = await refused.catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(Problem);
  expect((problem as Problem).errorAt("reason")).toBe("needs a reason");
});

it("sends an answer that was cut off again, with the same key, until it is acknowledged", async () => {
  const { sockets, scheduler, client } = live();
  const answered = client.answer("i1", { approved: true });
  const [first] = sockets.last().heard;
  sockets.last().cut();
  scheduler.advance(250);
  sockets.last().cut();
  scheduler.advance(500);
  sockets.last().accept();
  expect(sockets.last().heard).toEqual([first]);
  sockets.last().say({ ref: "1", ok: { status: "completed", repeated: true } });
  expect(await answered).toEqual({ status: "completed", repeated: true });
  sockets.last().cut();
  scheduler.advance(60_000);
  sockets.last().accept();
  expect(sockets.last().heard).toEqual([]);
});

it("keeps what is said while it is not connected, and tries at once", async () => {
  const { sockets, client } = live();
  sockets.last().cut();
  const sent = client.message({ content: "hi", client_message_id: "x" });
  sockets.last().accept();
  sockets.last().say({ ref: "1", ok: {} });
  await sent;
  expect(sockets.last().heard).toHaveLength(1);
});

it("uses a new key for another answer, and for any answer after a refusal", async () => {
  const { sockets, client } = live();
  const refuse = () => {
    const ref = String(sockets.last().heard.length);
    sockets.last().say({ ref, problem: { type: "x", title: "T", status: 422, code: "answer_invalid", detail: "d" } });
  };
  const keys = () => sockets.last().heard.map((frame) => (frame["data"] as JsonObject)["key"]);
  client.answer("i1", { approved: true }).catch(() => undefined);
  client.answer("i1", { approved: true }).catch(() => undefined);
  expect(new Set(keys()).size).toBe(1);
  client.answer("i1", { approved: false }).catch(() => undefined);
  expect(new Set(keys()).size).toBe(2);
  const again = client.answer("i2", { approved: true });
  refuse();
  await again.catch(() => undefined);
  client.answer("i2", { approved: true }).catch(() => undefined);
  expect(new Set(keys()).size).toBe(4);
});

it("never repeats a cancellation or more time by itself", async () => {
  const { sockets, scheduler, client } = live();
  const cancelled = client.cancel("enough");
  const extended = client.extend("i1", 60);
  sockets.last().cut();
  await expect(cancelled).rejects.toMatchObject({ code: "unreachable" });
  await expect(extended).rejects.toMatchObject({ code: "unreachable" });
  await expect(client.cancel()).rejects.toMatchObject({ code: "unreachable" });
  scheduler.advance(250);
  sockets.last().accept();
  expect(sockets.last().heard).toEqual([]);
});

it("takes a line for dead when nothing comes after something was sent", () => {
  const { sockets, scheduler, client, seen } = live();
  client.answer("i1", { approved: true }).catch(() => undefined);
  scheduler.advance(9_999);
  expect(seen().connection.state).toBe("live");
  scheduler.advance(1);
  expect(seen().connection.state).toBe("lost");
  scheduler.advance(250);
  sockets.last().accept();
  expect(sockets.last().heard).toHaveLength(1);
});

it("gives up where trying is useless, and only there", async () => {
  const gone = new Problem({ type: "x", title: "Not found", status: 404, code: "not_found", detail: "d" });
  const away = new Problem({ type: "x", title: "Away", status: 503, code: "store_busy", detail: "d" });
  let said = away;
  const { sockets, scheduler, seen } = start(() => Promise.reject(said));
  sockets.last().cut();
  await Promise.resolve();
  expect(seen().connection.state).toBe("lost");
  said = gone;
  scheduler.advance(250);
  sockets.last().cut();
  await Promise.resolve();
  await Promise.resolve();
  expect(seen().connection).toEqual({ state: "closed", problem: gone });
});

it("rejects what is open when it is closed, and hears nothing more", async () => {
  const { sockets, client, texts } = live();
  const sent = client.message({ content: "hi", client_message_id: "x" });
  const last = sockets.last();
  client.close();
  await expect(sent).rejects.toBeInstanceOf(Problem);
  last.say(written(1));
  expect(texts()).toEqual([]);
});

it("lays an older page under the view, with what came while it was on its way", () => {
  const { sockets, store, texts } = start();
  sockets.last().accept();
  sockets.last().say(snapshot(10, { before: 5 }));
  const page = store.expectPage();
  sockets.last().say({ ...written(11, "sent now", "m4") });
  const items = [3, 4].map((seq) => ({
    ...{ kind: "message" as const, event_id: `m${seq}`, sequence: seq, as_of: seq, role: "user", content: `old ${seq}` },
    ...{ timestamp: AT, status: "queued" as const, metadata: {} },
  }));
  page.merge({ ...emptyView("c1"), log_id: "L1", seq: 10, before: 3, messages: items });
  expect(texts()).toEqual(["old 3", "sent now"]);
  expect(store.getSnapshot().view?.before).toBe(3);
});

it("forgets a page that was asked for before a new snapshot came", () => {
  const { sockets, store, texts } = live();
  const page = store.expectPage();
  sockets.last().say(snapshot(4, { log_id: "L2" }));
  page.merge({ ...emptyView("c1"), log_id: "L1", before: null });
  expect(texts()).toEqual([]);
});
