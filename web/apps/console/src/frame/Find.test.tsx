// Ctrl+K: what is found in cards and chats stands together, and Enter leads to the first of it.
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import type { JsonValue } from "@sayso/core";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { interaction, startServer } from "../testing/server.ts";
import { Find } from "./Find.tsx";

let server: ReturnType<typeof startServer>;
beforeEach(() => {
  // jsdom has no modal dialogs.
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  server = startServer();
  const cards = [interaction("7", { chat_title: "Parcel for Mara" }), interaction("8", { status: "rejected", settled_by: "ana" })];
  server.routes.set("GET /api/interactions", { interactions: cards as unknown as JsonValue, next: null });
  const chat = { id: "c9", title: "Refunds of May", agent: "desk", seq: 1, created_at: "2026-11-21T12:00:00Z", updated_at: "2026-11-21T12:00:00Z", pending: 0 };
  server.routes.set("GET /api/chats", { chats: [chat], next: null });
});
afterEach(() => {
  cleanup();
  history.replaceState(null, "", "/");
  vi.unstubAllGlobals();
});

async function found(close = vi.fn()) {
  render(<Find close={close} />);
  const field = screen.getByRole("searchbox");
  await userEvent.type(field, "refund");
  fireEvent.blur(field);
  await screen.findByRole("link", { name: /Refunds of May/ });
  return { close, field };
}

it("finds cards and chats, waiting or settled", async () => {
  await found();
  const links = screen.getAllByRole("link");
  expect(links.map((link) => link.getAttribute("href"))).toEqual(["/i/7", "/i/8", "/chats/c9"]);
  expect(links[0]?.textContent).toContain("Needs your answer · Parcel for Mara");
  expect(server.requests.map(({ path }) => path)).toContain("/api/interactions?q=refund&limit=8");
});

it("goes to the first one on Enter, and closes", async () => {
  const { close, field } = await found();
  fireEvent.submit(field.closest("form")!);
  await waitFor(() => expect(location.pathname).toBe("/i/7"));
  expect(close).toHaveBeenCalledOnce();
});

it("says that there is nothing", async () => {
  server.routes.set("GET /api/interactions", { interactions: [], next: null });
  server.routes.set("GET /api/chats", { chats: [], next: null });
  render(<Find close={() => undefined} />);
  await userEvent.type(screen.getByRole("searchbox"), "x");
  fireEvent.blur(screen.getByRole("searchbox"));
  await screen.findByText("Nothing was found.");
});
