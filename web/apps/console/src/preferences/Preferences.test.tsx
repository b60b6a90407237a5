// What a person chooses stays what they chose last, also where the network is slow or takes things out of their order.
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/preact";
import { emptyView, type JsonObject } from "@sayso/core";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api } from "../browser.ts";
import { choices, chooseFor, followChoices } from "../frame/choices.ts";
import type { PageProps } from "../frame/overview.ts";
import { follow } from "../saving.ts";
import { startServer } from "../testing/server.ts";
import { Preferences } from "./Preferences.tsx";

let server: ReturnType<typeof startServer>;
beforeEach(() => {
  localStorage.clear();
  server = startServer();
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("tells the server of one choice after the other", async () => {
  const told: JsonObject[] = [];
  const arrived: (() => void)[] = [];
  vi.spyOn(api, "savePreferences").mockImplementation((values) => {
    told.push(values);
    return new Promise((resolve) => arrived.push(() => resolve(values)));
  });
  const both = [chooseFor("theme", "light"), chooseFor("theme", "dark")];
  await waitFor(() => expect(told).toEqual([{ theme: "light" }]));
  arrived[0]?.();
  await both[0];
  await waitFor(() => expect(told).toEqual([{ theme: "light" }, { theme: "dark" }]));
  arrived[1]?.();
  await both[1];
});

it("follows what was chosen elsewhere, but not what was known before somebody chose here", async () => {
  server.routes.set("PUT /api/preferences", (body) => body);
  await follow(Promise.resolve({ theme: "dark" }), followChoices);
  expect(choices().theme).toBe("dark");
  let come: (values: JsonObject) => void = () => undefined;
  const following = follow(new Promise((resolve) => (come = resolve)), followChoices);
  await chooseFor("theme", "light");
  come({ theme: "dark" });
  await following;
  expect(choices().theme).toBe("light");
});

it("lists what was chosen last, and forgets it at a press", async () => {
  const line = { interaction_id: "i", chat_id: "c1", agent_name: "lca", question: "Which unit?", chosen: "kg", at: null };
  let isForgotten = false;
  server.routes.set("GET /api/preferences/always-allow", () => ({ rules: [] }));
  server.routes.set("GET /api/preferences/choices", () => ({ choices: [line] }));
  server.routes.set("DELETE /api/preferences/choices", () => ((isForgotten = true), null));
  render(<Preferences {...({ overview: { counts: null } } as unknown as PageProps)} />);
  await waitFor(() => expect(screen.getByRole("link", { name: "Which unit?" }).closest("li")?.textContent).toContain("kg"));
  fireEvent.click(screen.getByRole("button", { name: "Forget these" }));
  await screen.findByText("None. Questions come with nothing chosen.");
  expect(isForgotten).toBe(true);
  expect(screen.queryByRole("button", { name: "Forget these" })).toBeNull();
});

it("asks again for every tool that was pressed, however quickly one came after the other", async () => {
  let tools = ["refund", "label_order", "drop"];
  server.routes.set("GET /api/preferences/always-allow", () => ({ rules: tools.length > 0 ? [{ chat_id: "c1", title: "Refunds", tools }] : [] }));
  server.routes.set("PUT /api/chats/c1/preferences", ({ value }) => {
    tools = value as string[];
    return emptyView("c1") as unknown as JsonObject;
  });
  render(<Preferences {...({ overview: { counts: null } } as unknown as PageProps)} />);
  const buttons = await screen.findAllByRole("button", { name: /^Ask again/ });
  fireEvent.click(buttons[0]!);
  fireEvent.click(buttons[1]!);
  await waitFor(() => expect(screen.getAllByRole("button", { name: /^Ask again/ }).length).toBe(1));
  expect(tools).toEqual(["drop"]);
});

it("adds a webhook, shows its secret once, and forgets it", async () => {
  let places: JsonObject[] = [];
  server.routes.set("GET /api/notices", () => ({ mail: true, places }));
  server.routes.set("PUT /api/notices", ({ address }) => {
    places = [{ id: "p1", address: address as string, by: "webhook" }];
    return { id: "p1", by: "webhook", secret: "whsec_abc" };
  });
  server.routes.set("DELETE /api/notices/p1", () => {
    places = [];
    return {};
  });
  render(<Preferences {...({ overview: { counts: null } } as unknown as PageProps)} />);
  const box = await screen.findByLabelText("Also tell me at this e-mail address or webhook");
  fireEvent.change(box, { target: { value: " https://hooks.example/a " } });
  fireEvent.click(screen.getByRole("button", { name: "Add" }));
  await screen.findByText("whsec_abc");
  fireEvent.click(await screen.findByRole("button", { name: "Remove: https://hooks.example/a" }));
  await waitFor(() => expect(screen.queryByText("https://hooks.example/a")).toBeNull());
  expect(screen.queryByText("whsec_abc")).toBeNull();
});

it("keeps quiet hours as the wall shows them", async () => {
  const told: JsonObject[] = [];
  server.routes.set("GET /api/preferences", () => ({}));
  server.routes.set("PUT /api/preferences", (values) => {
    told.push(values);
    return values;
  });
  render(<Preferences {...({ overview: { counts: null } } as unknown as PageProps)} />);
  fireEvent.click(await screen.findByLabelText(/^Quiet hours/));
  fireEvent.change(screen.getByLabelText("Until"), { target: { value: "08:30" } });
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  await waitFor(() => expect(told.at(-1)).toEqual({ quiet_hours: { from: "22:00", until: "08:30", zone } }));
  fireEvent.click(screen.getByLabelText(/^Quiet hours/));
  await waitFor(() => expect(told.at(-1)).toEqual({ quiet_hours: null }));
});
