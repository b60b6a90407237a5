// Where a chat begins: what each agent offers to begin with is one press away, and no press loses a word.
import { cleanup, render, screen, waitFor, within } from "@testing-library/preact";
import { emptyView, type JsonObject } from "@sayso/core";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startServer } from "../testing/server.ts";
import { Welcome } from "./Welcome.tsx";

const agent = (name: string, ...starters: string[]) => ({ name, adapter: "function", capabilities: {}, tools: [], starters });

let server: ReturnType<typeof startServer>;
beforeEach(() => {
  localStorage.clear();
  server = startServer();
  server.routes.set("POST /api/chats", emptyView("c1") as unknown as JsonObject);
  server.routes.set("POST /api/chats/c1/messages", { run_id: "r1", message_id: "m1", status: "started" });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const posted = () => server.requests.filter(({ method }) => method === "POST");
const group = () => screen.findByRole("group", { name: "Try one of these" });
const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });

function open(...agents: ReturnType<typeof agent>[]) {
  server.routes.set("GET /api/agents", { agents, default: agents[0]?.name ?? "" });
  render(<Welcome waiting={0} />);
  return userEvent.setup();
}

it("sends what is pressed, to the agent that offers it", async () => {
  const user = open(agent("desk", "refund order 1001"), agent("trips", "plan my days"));
  expect((await group()).textContent).toContain("refund order 1001");
  await user.selectOptions(screen.getByRole("combobox", { name: "Agent" }), "trips");
  await user.click(within(await group()).getByRole("button", { name: "plan my days" }));
  await waitFor(() => expect(posted().length).toBe(2));
  expect(posted().map(({ body }) => body)).toEqual([
    { agent: "trips", title: "Plan my days" },
    { content: "plan my days", client_message_id: expect.any(String) },
  ]);
});

it("keeps what was pressed in the composer when it cannot be sent, and sends the same message again", async () => {
  server.routes.delete("POST /api/chats/c1/messages");
  const user = open(agent("desk", "refund order 1001"));
  await user.click(within(await group()).getByRole("button"));
  await waitFor(() => expect(document.querySelector(".composer-error")).not.toBeNull());
  expect(box().value).toBe("refund order 1001");
  expect(document.activeElement).toBe(box());
  await user.keyboard("{Enter}");
  await waitFor(() => expect(posted().length).toBe(3));
  const [, first, again] = posted();
  expect(again?.body).toEqual(first?.body);
});

it("draws nothing where the agent offers nothing", async () => {
  open(agent("desk"), agent("trips", "plan my days"));
  await screen.findByRole("combobox", { name: "Agent" });
  expect(screen.queryByRole("group")).toBeNull();
});
