// Rows are decided one by one; nothing is approved that nobody decided on.
import { fireEvent, screen, waitFor } from "@testing-library/preact";
import { expect, it } from "vitest";
import { exchanges, exchangesFields, exchangesOf, message } from "../testing/fixtures.ts";
import { show } from "../testing/press.tsx";
import { buttonLabels } from "./buttonLabels.ts";

it("is a table with a caption, and every input says what it belongs to", () => {
  const { container } = show(exchanges);
  expect(container.querySelector("caption")?.textContent).toBe("3 rows: 0 approved, 0 excluded, 3 still open");
  expect([...container.querySelectorAll("thead th")].every((th) => th.getAttribute("scope") === "col")).toBe(true);
  expect([...container.querySelectorAll("tbody th")].every((th) => th.getAttribute("scope") === "row")).toBe(true);
  expect(screen.getByRole("textbox", { name: /^Amount of Steel rebar/ })).toBeTruthy();
  expect(screen.getByRole("group", { name: "Decision on Steel rebar" })).toBeTruthy();
  expect(container.textContent).toContain("Warning: Two suppliers");
  expect(container.textContent).toContain("Output");
});

it("does not approve while a row is open, and leads to it", async () => {
  const { sent, user, container } = show(exchanges);
  await user.click(screen.getByRole("button", { name: /^Approve all without warnings/ }));
  expect(container.querySelector("caption")?.textContent).toContain("2 approved, 0 excluded, 1 still open");
  await user.click(screen.getByRole("button", { name: /^Add 2 of 3 exchanges/ }));
  expect(sent).toEqual([]);
  const group = screen.getByRole("group", { name: "Decision on Steel rebar" });
  expect(group.contains(document.activeElement)).toBe(true);
  expect(container.textContent).toContain("Decide on this row.");
});

it("leaves a row out with its reason", async () => {
  const { sent, user } = show(exchanges);
  await user.click(screen.getByRole("button", { name: /^Approve all without warnings/ }));
  await user.click(screen.getAllByRole("radio", { name: "Exclude" })[1] as HTMLElement);
  await user.type(screen.getByRole("textbox", { name: /^Why exclude Steel rebar/ }), "which one?");
  await user.click(screen.getByRole("button", { name: /^Add 2 of 3 exchanges/ }));
  expect(sent[0]).toMatchObject({ body: { approved: true, response_data: { approved_rows: ["1", "3"], rejected_rows: { "2": "which one?" } } } });
});

it("takes all rows left out for a rejection, which says why", async () => {
  const { sent, user } = show(exchanges, { draft: { rows: { "1": "left_out", "2": "left_out", "3": "left_out" } } });
  await user.click(screen.getByRole("button", { name: /^Add exchanges/ }));
  expect(sent).toEqual([]);
  await user.click(screen.getByRole("button", { name: /^Exclude all…/ }));
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: /^Reason for rejecting/ }));
});

it("does not send an amount that is none", async () => {
  const { sent, user } = show(exchanges, { draft: { rows: { "1": "approved", "2": "approved", "3": "approved" }, cells: { "1": { amount: "ten" } } } });
  await user.click(screen.getByRole("button", { name: /^Add 3 exchanges/ }));
  expect(sent).toEqual([]);
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: /^Amount of Concrete/ }));
});

it("changes what stands beside the rows, too", async () => {
  const edit_schema = { type: "object", properties: { process_id: { type: "string", title: "Process" } } };
  const open = message("exchanges", { ...exchangesFields, edit_schema });
  const rows = { "1": "approved", "2": "approved", "3": "approved" };
  const { sent, user } = show(open, { draft: { rows, edits: { process_id: "p2" } } });
  await user.click(screen.getByRole("button", { name: /^Add 3 exchanges/ }));
  expect(sent[0]).toMatchObject({ body: { response_data: { edits: { process_id: "p2" } } } });
});

it("shows values that have no column", () => {
  const [first] = exchangesFields["rows"] as { row_id: string; values: object }[];
  const rows = [{ ...first, values: { ...first?.values, uncertainty: "lognormal" }, warnings: [] }];
  show(message("exchanges", { ...exchangesFields, rows } as never));
  expect(screen.getByText("lognormal")).toBeTruthy();
});

it("counts in the words of its title, and in plain ones where the title counts nothing", () => {
  expect(buttonLabels(["Add 3 exchanges to “Steel”"], 3, "Approve").button(1)).toBe("Add 1 of 3 exchanges");
  expect(buttonLabels(["Add 3 exchanges to “Steel”"], 3, "Approve").button(3)).toBe("Add 3 exchanges");
  expect(buttonLabels(["添加数据", "Order 13 things"], 3, "Approve").button(1)).toBe("Approve 1 of 3 rows");
  expect(buttonLabels(["One row"], 1, "Write").button(1)).toBe("Write the row");
});

// Asked of the page itself: asking for roles among many rows takes long in jsdom.
const all = (container: HTMLElement, selector: string) => [...container.querySelectorAll<HTMLElement>(selector)];
const called = (elements: HTMLElement[], words: string) => elements.find((one) => one.textContent?.startsWith(words)) as HTMLElement;

it("stays usable with many rows: a place of its own, and those that need a look can be had alone", async () => {
  const { container } = show(exchangesOf(30));
  const region = container.querySelector<HTMLElement>('[role="region"]');
  expect([region?.getAttribute("aria-label"), region?.tabIndex]).toEqual(["Rows: Add 30 exchanges to “Cement, at plant”", 0]);
  fireEvent.click(called(all(container, "button"), "Approve all without warnings"));
  await waitFor(() => expect(called(all(container, ".sy-sieve label"), "Still open (2)")).toBeTruthy());
  fireEvent.click(called(all(container, ".sy-sieve label"), "Still open (2)"));
  await waitFor(() => expect(all(container, "tbody tr").length).toBe(2));
  // What is decided stays in sight, and keeps the focus.
  const choice = container.querySelector('[data-choice="left_out"] input') as HTMLElement;
  choice.focus();
  fireEvent.click(choice);
  await waitFor(() => expect(container.querySelector("caption")?.textContent).toContain("1 excluded"));
  expect(all(container, "tbody tr").length).toBe(2);
  expect(document.activeElement).toBe(choice);
  expect(called(all(container, "button"), "Add 28 of 30 exchanges")).toBeTruthy();
});

it("draws only the row that changed", async () => {
  const { container } = show(exchangesOf(30));
  const touched = new Set<Element | null>();
  const watch = new MutationObserver((records) => {
    for (const { target } of records) touched.add((target instanceof Element ? target : target.parentElement)?.closest("tbody tr") ?? null);
  });
  watch.observe(container, { subtree: true, childList: true, characterData: true, attributes: true });
  const amount = all(container, "tbody tr")[6]?.querySelector("input") as HTMLInputElement;
  fireEvent.input(amount, { target: { value: "75" } });
  await waitFor(() => expect(container.querySelector("del")?.textContent).toBe("7"));
  watch.disconnect();
  touched.delete(null);
  expect([...touched].map((row) => row?.querySelector("th bdi")?.textContent)).toEqual(["Flow 7"]);
});

it("decides on no single row where the rows are approved together", async () => {
  const { sent, user, container } = show(message("exchanges", { ...exchangesFields, rows_decidable: false }));
  expect(container.querySelector("caption")?.textContent).toBe("3 rows: approved or rejected together");
  expect(screen.queryByRole("radio")).toBeNull();
  await user.click(screen.getByRole("button", { name: /^Add 3 exchanges/ }));
  expect(sent).toEqual([{ type: "answer", body: { approved: true } }]);
});

it("comes back with the cells that were typed", async () => {
  const rows = (exchangesFields.tool_params as { exchanges: { amount: number }[] }).exchanges;
  const typed = { exchanges: rows.map((row, i) => (i === 0 ? { ...row, amount: 7 } : row)) };
  const errors = [{ path: "edits/exchanges", message: "Seven is too many." }];
  const { container } = show(message("exchanges", { ...exchangesFields, typed, errors }));
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: /^Amount of Concrete/ }).value).toBe("7");
  expect(container.textContent).toContain("Nothing was done: Seven is too many.");
});
