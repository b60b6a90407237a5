// The console as people meet it: what it says aloud, where the focus is, and that no word is lost.
import { act, cleanup, render, screen, waitFor, within } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { JsonObject, JsonValue } from "@sayso/core";
import { App } from "./App.tsx";
import { api } from "./browser.ts";
import { Chat, Inbox, OneInteraction } from "./frame/views.tsx";
import { approval, delta, events, interaction, snapshot, startServer } from "./testing/server.ts";

let server: ReturnType<typeof startServer>;
let said: string[];
let ear: MutationObserver | null = null;

// As for somebody who was here before: no part is still on its way when a test looks.
beforeAll(() => Promise.all([Chat, Inbox, OneInteraction].map((view) => view.preload())));

beforeEach(() => {
  localStorage.clear();
  server = startServer();
  said = [];
  // jsdom has no layout, so nothing to scroll.
  Element.prototype.scrollIntoView = () => undefined;
});

afterEach(async () => {
  vi.useRealTimers();
  ear?.disconnect();
  cleanup();
  // What was still on its way is told before the next test listens.
  await drawn();
  vi.unstubAllGlobals();
});

/** Opens the console at a path and listens to its live regions from the start. */
function open(path: string) {
  history.replaceState(null, "", path);
  const drawn = render(<App />);
  const regions = ["polite", "assertive"].map((urgency) => document.getElementById(`announce-${urgency}`));
  ear = new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) said.push(node.textContent ?? "");
  });
  for (const region of regions) {
    expect(region?.childElementCount).toBe(0);
    if (region !== null) ear.observe(region, { childList: true });
  }
  return drawn;
}

async function openChat(more = {}) {
  open("/chats/c1");
  const socket = server.socket();
  await act(async () => {
    socket.accept();
    socket.say(snapshot(more));
    await drawn();
  });
  return { socket, log: events(), say: (...frames: JsonValue[]) => hear(...frames) };
}

async function hear(...frames: JsonValue[]) {
  await act(async () => {
    for (const frame of frames) server.socket().say(frame);
    await drawn();
  });
}

const drawn = () => new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done)));
const composer = () => screen.getByRole("textbox", { name: "Message" }) as HTMLTextAreaElement;

describe("a card arrives", () => {
  it("leaves the focus and the composer alone, and says so once", async () => {
    const { log, say } = await openChat();
    const user = userEvent.setup();
    await user.type(composer(), "half a thou");
    await say(log.run("running"), log.card("1001"), log.run("waiting"));
    expect(document.activeElement).toBe(composer());
    expect(composer().value).toBe("half a thou");
    await waitFor(() => expect(said).toEqual(["Needs your answer: Refund 1001"]));
    expect(document.title).toContain("Refunds");
  });

  it("is reached by Alt+Shift+J, again and again, unless that is switched off", async () => {
    const { log, say } = await openChat();
    await say(log.card("1001"), log.card("1002"));
    const user = userEvent.setup();
    const jump = () => user.keyboard("{Alt>}{Shift>}[KeyJ]{/Shift}{/Alt}");
    await jump();
    expect(document.activeElement?.id).toBe("card-1001");
    await jump();
    expect(document.activeElement?.id).toBe("card-1002");
    await jump();
    expect(document.activeElement?.id).toBe("card-1001");
    localStorage.setItem("sayso:shortcut", "off");
    await jump();
    expect(document.activeElement?.id).toBe("card-1001");
  });

  it("is counted, not listed, when the chat is opened with cards that wait", async () => {
    const item = (id: string) => ({
      ...{ kind: "message", event_id: id, sequence: 1, as_of: 1, role: "assistant", content: "", timestamp: "" },
      ...{ status: "complete" },
      metadata: { ui_tool: { ui_tool_id: "t", event_id: id, display: "inline", ui_tool_status: "pending", payload: approval(id) } },
    });
    await openChat({ messages: [item("1001"), item("1002")], seq: 2 });
    await waitFor(() => expect(said).toEqual(["2 cards wait for your answer"]));
  });
});

describe("a text is written", () => {
  it("says that it begins and that it is complete, and never the text", async () => {
    const { log, say } = await openChat();
    await say(log.run("running"));
    for (let i = 0; i < 30; i++) await say(delta(i * 5, "word "));
    await say(log.message("word ".repeat(30), { message_id: "live" }), log.run("completed"));
    await waitFor(() => expect(said).toEqual(["The agent is answering", "The answer is complete"]));
    const conversation = screen.getByRole("log");
    expect(conversation.getAttribute("aria-live")).toBe("off");
    expect(conversation.closest("[aria-live]:not([aria-live=off])")).toBeNull();
  });

  it("keeps its element when it is complete, so that nothing jumps", async () => {
    const { log, say } = await openChat();
    await say(delta(0, "Hello there"));
    const before = screen.getByText("Hello there").closest(".entry");
    await say(log.message("Hello there", { message_id: "live" }));
    expect(screen.getByText("Hello there").closest(".entry")).toBe(before);
  });
});

describe("a card is settled", () => {
  it("elsewhere: the focus goes to its receipt, and it is said", async () => {
    const { log, say } = await openChat();
    await say(log.card("1001"));
    screen.getByRole("button", { name: /^Approve/ }).focus();
    await say(log.settled("1001", "completed"));
    await waitFor(() => expect(said.at(-1)).toBe("Refund 1001 approved"));
    expect(document.activeElement?.tagName).toBe("SUMMARY");
    expect(document.activeElement?.textContent).toContain("Refund 1001");
  });

  it("here: the answer goes out with a key, and is not announced to the one who gave it", async () => {
    const { log, say, socket } = await openChat();
    await say(log.card("1001"));
    await waitFor(() => expect(said).toHaveLength(1));
    await userEvent.setup().click(screen.getByRole("button", { name: /^Approve/ }));
    const [frame] = socket.heard;
    expect(frame).toMatchObject({ type: "answer", data: { interaction_id: "1001", body: { approved: true, metadata: { digest: "sha256:aa" } } } });
    expect(String(frame?.data["key"])).toMatch(/^[0-9a-f-]{36}$/);
    await say({ ref: frame?.ref ?? "", ok: {} }, log.settled("1001", "completed"));
    expect(said).toHaveLength(1);
  });
});

describe("the composer", () => {
  it("sends on Enter, starts a line on Shift+Enter, and is empty only once the server has it", async () => {
    const { socket } = await openChat();
    const user = userEvent.setup();
    await user.type(composer(), "one{Shift>}{Enter}{/Shift}two{Enter}");
    expect(socket.heard).toMatchObject([{ type: "message", data: { content: "one\ntwo" } }]);
    expect(composer().value).toBe("one\ntwo");
    await hear({ ref: socket.heard[0]?.ref ?? "", ok: { status: "started" } });
    await waitFor(() => expect(composer().value).toBe(""));
  });

  it("keeps refused words, says why, and sends them again as the same message", async () => {
    const { socket } = await openChat();
    const user = userEvent.setup();
    await user.type(composer(), "hello{Enter}");
    const problem = { type: "x", title: "Busy", status: 503, code: "store_busy", detail: "The database is busy.", fix: "Try again." };
    await hear({ ref: socket.heard[0]?.ref ?? "", problem });
    await screen.findByText("The database is busy. Try again.");
    await waitFor(() => expect(said).toEqual(["Not sent. The database is busy. Try again."]));
    expect(composer().value).toBe("hello");
    await user.type(composer(), "{Enter}");
    expect(socket.heard[1]?.data).toEqual(socket.heard[0]?.data);
  });

  it("keeps unsent words over a reload, for each chat", async () => {
    await openChat();
    await userEvent.setup().type(composer(), "not yet");
    cleanup();
    await openChat();
    expect(composer().value).toBe("not yet");
  });

  it("asks what shall happen with work that goes on", async () => {
    const { log, say, socket } = await openChat();
    await say(log.run("running"));
    const user = userEvent.setup();
    await user.type(composer(), "stop that");
    await user.click(screen.getByRole("radio", { name: "now (stops it)" }));
    await user.click(screen.getByRole("button", { name: "Send" }));
    expect(socket.heard[0]?.data).toMatchObject({ content: "stop that", mode: "supersede" });
  });

  it("answers the one open question without asking how", async () => {
    const { log, say, socket } = await openChat();
    const question = { title: "", question: "Which colour?", options: [], sayso: { card: "options", interaction_type: "user_input" } };
    await say(log.run("waiting"), log.card("q1", question));
    const user = userEvent.setup();
    await user.type(composer(), "green");
    expect(screen.getByText("This answers “Which colour?”.")).toBeTruthy();
    expect(screen.queryByRole("radio", { name: "now (stops it)" })).toBeNull();
    await user.type(composer(), "{Enter}");
    expect(socket.heard[0]?.data).not.toHaveProperty("mode");
  });
});

describe("the connection", () => {
  it("is mourned once and welcomed once, however often it is tried", async () => {
    await openChat();
    server.routes.set("GET /api/chats/c1", {});
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "requestAnimationFrame"] });
    const pass = async (ms: number) => {
      await act(async () => void (await vi.advanceTimersByTimeAsync(50)));
      await act(async () => void (await vi.advanceTimersByTimeAsync(ms)));
    };
    server.socket().cut();
    await pass(1200);
    expect(screen.getByRole("region", { name: "Connection" }).textContent).toContain("No connection. What you write is kept, and sent when it is back.");
    for (let i = 0; i < 4; i++) {
      server.socket().cut();
      await pass(6000);
    }
    server.socket().accept();
    await pass(200);
    expect(screen.queryByRole("region", { name: "Connection" })).toBeNull();
    expect(said).toEqual(["Connection lost. Trying again.", "Connected again"]);
  });

  it("keeps an answer that was given while it was away, and sends it once it is back", async () => {
    const { log, say } = await openChat();
    await say(log.card("1001"));
    server.socket().cut();
    await userEvent.setup().click(screen.getByRole("button", { name: /^Approve/ }));
    const next = server.socket();
    await act(async () => next.accept());
    expect(next.heard).toMatchObject([{ type: "answer" }]);
  });
});

describe("the inbox", () => {
  it("lists what waits, is answered in place, and keeps the receipt", async () => {
    const row = interaction("1001");
    server.routes.set("GET /api/interactions", () => ({ interactions: [interaction("1001"), interaction("1002")], next: null }) as unknown as JsonValue);
    server.routes.set("POST /api/interactions/1001/response", { interaction_id: "1001", status: "completed" });
    server.routes.set("GET /api/interactions/1001", { ...row, status: "completed", settled_by: "ana" } as unknown as JsonValue);
    open("/inbox");
    const first = await screen.findByRole("group", { name: "Refund 1001" });
    await waitFor(() => expect(document.title).toBe("(2) Inbox · Sayso"));
    const approve = within(first).getByRole("button", { name: /^Approve/ });
    approve.focus();
    await userEvent.setup().click(approve);
    await waitFor(() => expect(first.querySelector("summary")?.textContent).toContain("approved by ana"));
    // One is led on to what still waits.
    await waitFor(() => expect(document.activeElement?.id).toBe("card-1002"));
    const sent = server.requests.find((request) => request.method === "POST");
    expect(sent?.headers.get("idempotency-key")).toMatch(/^[0-9a-f-]{36}$/);
    expect(said).toEqual(["2 cards wait for your answer", "Refund 1001 approved"]);
  });

  it("takes in what is new below, and says it", async () => {
    let rows = [interaction("1001")];
    server.routes.set("GET /api/interactions", () => ({ interactions: rows, next: null }) as unknown as JsonValue);
    open("/inbox");
    await screen.findByRole("group", { name: "Refund 1001" });
    rows = [interaction("1002"), ...rows];
    server.events[0]?.hint("c1");
    await screen.findByRole("group", { name: "Refund 1002" });
    const order = screen.getAllByRole("group").map((group) => group.getAttribute("aria-label"));
    expect(order.filter((name) => name?.startsWith("Refund"))).toEqual(["Refund 1001", "Refund 1002"]);
    expect(said.at(-1)).toBe("Needs your answer: Refund 1002");
  });

  it("keeps the reason of a rejection that did not arrive, also for the next visit", async () => {
    server.routes.set("GET /api/interactions", () => ({ interactions: [interaction("1001")], next: null }) as unknown as JsonValue);
    const user = userEvent.setup();
    open("/inbox");
    await user.click(await screen.findByRole("button", { name: /^Reject…/ }));
    await user.type(screen.getByRole("textbox", { name: /^Reason for rejecting/ }), "wrong list");
    await user.click(screen.getByRole("button", { name: "Reject" }));
    await waitFor(() => expect(said.at(-1)).toContain("Not sent."));
    await drawn();
    cleanup();
    open("/inbox");
    expect((await screen.findByRole<HTMLTextAreaElement>("textbox", { name: /^Reason for rejecting/ })).value).toBe("wrong list");
  });

  it("tells of what is new once, however many hints come while it is read", async () => {
    const rows = [interaction("1001"), interaction("1002")];
    const first = { items: rows.slice(0, 1), next: null };
    const come: (() => void)[] = [];
    const asked = vi
      .spyOn(api, "interactions")
      .mockImplementation((query) =>
        query?.chat === undefined ? Promise.resolve(first) : new Promise((resolve) => come.push(() => resolve({ items: rows, next: null }))),
      );
    open("/inbox");
    await screen.findByRole("group", { name: "Refund 1001" });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    for (let n = 0; n < 2; n++) {
      server.events[0]?.hint("c1");
      await vi.advanceTimersByTimeAsync(200);
    }
    vi.useRealTimers();
    while (come.length > 0) await act(async () => come.splice(0).forEach((one) => one()));
    await screen.findByRole("group", { name: "Refund 1002" });
    await drawn();
    expect(screen.getAllByRole("group", { name: "Refund 1002" }).length).toBe(1);
    expect(said.filter((words) => words === "Needs your answer: Refund 1002").length).toBe(1);
    asked.mockRestore();
  });
});

describe("an address", () => {
  it("of one interaction shows its card", async () => {
    server.routes.set("GET /api/interactions/1001", interaction("1001") as unknown as JsonValue);
    open("/i/1001");
    await screen.findByRole("button", { name: /^Approve/ });
  });

  it("of one that was drawn again meanwhile shows the newest, with what was typed", async () => {
    const old = interaction("1001");
    const changes = [{ path: "details/order", before: "1001", after: "1002" }];
    const sayso = { card: "approval", interaction_type: "tool_approval", digest: "sha256:bb", revision: 2, changes, assignees: [] };
    const now = { ...old, payload: { ...approval("1002"), sayso } };
    server.routes.set("GET /api/interactions/1001", old as unknown as JsonValue);
    server.routes.set("POST /api/interactions/1001/response", (body) => {
      server.routes.set("GET /api/interactions/1001", now as unknown as JsonValue);
      const digest = (body["metadata"] as JsonObject)["digest"];
      return digest === "sha256:bb" ? { interaction_id: "1001", status: "rejected" } : { status: 409, code: "stale_digest", title: "Changed", detail: "Look again." };
    });
    open("/i/1001");
    const user = userEvent.setup();
    await user.click(await screen.findByRole("button", { name: /^Reject/ }));
    await user.type(screen.getByRole("textbox", { name: /^Reason for rejecting/ }), "not this one");
    await user.click(screen.getByRole("button", { name: /^Reject/ }));
    await screen.findByRole("heading", { name: "What changed" });
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: /^Reason for rejecting/ }).value).toBe("not this one");
    await user.click(screen.getByRole("button", { name: /^Reject/ }));
    const sent = server.requests.filter((request) => request.method === "POST").map(({ body }) => body);
    expect(sent).toMatchObject([{ metadata: { digest: "sha256:aa" } }, { user_message: "not this one", metadata: { digest: "sha256:bb" } }]);
  });

  it("of one that was answered shows no older picture of it that comes late", async () => {
    const row = interaction("1001");
    let come: (old: typeof row) => void = () => undefined;
    const answers = [Promise.resolve(row), new Promise<typeof row>((resolve) => (come = resolve))];
    const asked = vi.spyOn(api, "interaction").mockImplementation(() => answers.shift() ?? Promise.resolve({ ...row, status: "completed" }));
    server.routes.set("POST /api/interactions/1001/response", { interaction_id: "1001", status: "completed" });
    open("/i/1001");
    const approve = await screen.findByRole("button", { name: /^Approve/ });
    act(() => server.events[0]?.hint("c1"));
    await waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
    await userEvent.setup().click(approve);
    await screen.findByRole("heading", { name: "Thank you" });
    await act(async () => come(row));
    await drawn();
    expect(screen.getByRole("heading", { level: 2 }).textContent).toBe("Thank you");
    asked.mockRestore();
  });

  it("of nothing says so, and leads home", async () => {
    open("/nowhere/at/all");
    expect(screen.getByRole("heading", { level: 2, name: "There is no such page" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Go to your chats" })).toBeTruthy();
  });

  it("that was followed gives the focus to the heading of the new view", async () => {
    open("/");
    await userEvent.setup().click(await screen.findByRole("link", { name: /Inbox/ }));
    expect(document.activeElement?.textContent).toBe("Inbox");
  });

  it("that asks for a login gets one", async () => {
    const problem = { type: "x", title: "Sign in", status: 401, code: "not_signed_in", detail: "This server asks who you are." };
    server.routes.set("GET /api/chats", problem);
    open("/");
    expect(await screen.findByLabelText("Access token")).toBeTruthy();
  });
});
