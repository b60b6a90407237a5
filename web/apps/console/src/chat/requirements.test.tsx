// What stands beside the chat: values that nobody said are offered and never counted, and a refusal keeps what was typed.
import { cleanup, render, screen, within } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { actionsOf, askedChoices, concernedOf, emptyView, type JsonObject } from "@sayso/core";
import { startServer } from "../testing/server.ts";
import { RequirementsPanel } from "./RequirementsPanel.tsx";

const row = (field: string, more: JsonObject = {}): JsonObject => ({
  ...{ field, slot: field, label: field, question: `${field}?`, why: "", optional: false, known: false, assumed: false },
  ...{ value: null, text: "", source: "", quote: "", suggested: null, suggested_value: null, asked: false },
  ...{ schema: { type: "string" }, choices: [], ...more },
});
const action = (title: string, fields: JsonObject[], more: JsonObject = {}): JsonObject => ({
  ...{ title, known: 0, of: fields.length, requested: false, line: `Ready to create ${title}? Add place`, fields, ...more },
});
const kept = (detail: JsonObject): JsonObject => ({ version: 1, requirements_detail: detail });

let server: ReturnType<typeof startServer>;
beforeEach(() => void (server = startServer()));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const changes = () => server.requests.filter(({ method }) => method === "PATCH").map(({ body }) => body);
const open = (...fields: JsonObject[]) => {
  render(<RequirementsPanel chatId="c1" requirements={kept({ trip: action("Trip", fields) })} />);
  return userEvent.setup();
};
const taken = () => server.routes.set("PATCH /api/chats/c1/requirements", emptyView("c1") as unknown as JsonObject);

it("shows a suggestion as one, and takes it when it is told to", async () => {
  taken();
  const user = open(row("places", { suggested: "Rome, Florence", suggested_value: ["Rome", "Florence"] }));
  const item = screen.getByRole("listitem");
  expect(item.textContent).toContain("places: Not specified");
  expect(item.textContent).toContain("Perhaps Rome, Florence, not confirmed.");
  await user.click(within(item).getByRole("button", { name: /^Use it/ }));
  expect(changes()).toEqual([{ field: "places", value: ["Rome", "Florence"] }]);
  expect(document.activeElement?.textContent).toMatch(/^Add/);
});

it("sends what a control means, in the schema's own form", async () => {
  taken();
  const user = open(row("time", { schema: { type: "string", format: "duration" } }), row("people", { schema: { type: "integer", minimum: 1 } }));
  const [time, people] = screen.getAllByRole("listitem") as [HTMLElement, HTMLElement];
  await user.click(within(time).getByRole("button", { name: /^Add/ }));
  await user.type(screen.getByRole("textbox", { name: "time: how many" }), "36");
  await user.selectOptions(screen.getByRole("combobox", { name: "time: of what" }), "hours");
  await user.keyboard("{Tab}{Enter}");
  await user.click(within(people).getByRole("button", { name: /^Add/ }));
  await user.type(screen.getByRole("textbox", { name: /^people/ }), "3{Enter}");
  expect(changes()).toEqual([{ field: "time", value: "P1DT12H" }, { field: "people", value: 3 }]);
});

it("keeps what was typed when the server refuses it, and says why", async () => {
  const user = open(row("place"));
  await user.click(screen.getByRole("button", { name: /^Add/ }));
  await user.type(screen.getByRole("textbox", { name: /^place/ }), "Atlantis{Enter}");
  const input = await screen.findByDisplayValue("Atlantis");
  expect(input.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByText(/no PATCH/)).toBeTruthy();
});

it("is unfolded for what the chat is about: what was asked for, else what most was said of", () => {
  const said = row("place", { known: true, text: "Rome", source: "from your message" });
  const actions = actionsOf(kept({ a: action("A", [row("x")]), b: action("B", [said]), c: action("C", [row("y")], { requested: true }) }));
  expect(concernedOf(actions).map(({ name }) => name)).toEqual(["c"]);
  expect(concernedOf(actions.slice(0, 2)).map(({ name }) => name)).toEqual(["b"]);
});

it("has a press for each choice of what was asked, unless one word would answer two questions", () => {
  const pace = row("pace", { asked: true, choices: ["slow", "fast"] });
  const fields = (...rows: JsonObject[]) => askedChoices(actionsOf(kept({ a: action("A", rows), b: action("B", [pace]) }))).map(({ slot }) => slot);
  expect(fields(pace)).toEqual(["pace"]);
  expect(fields(pace, row("place", { choices: ["Rome"] }))).toEqual(["pace"]);
  expect(fields(pace, row("music", { asked: true, choices: ["fast", "none"] }))).toEqual([]);
});
