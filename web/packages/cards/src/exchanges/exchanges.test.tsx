// Rows are decided one by one; nothing is approved that nobody decided on.
import { screen } from "@testing-library/preact";
import { expect, it } from "vitest";
import { exchanges, exchangesFields, message } from "../testing/fixtures.ts";
import { show } from "../testing/press.tsx";

it("is a table with a caption, and every input says what it belongs to", () => {
  const { container } = show(exchanges);
  expect(container.querySelector("caption")?.textContent).toBe("3 rows: 0 approved, 0 left out, 3 still open");
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
  expect(container.querySelector("caption")?.textContent).toContain("2 approved, 0 left out, 1 still open");
  await user.click(screen.getByRole("button", { name: /^Approve 2 rows/ }));
  expect(sent).toEqual([]);
  const group = screen.getByRole("group", { name: "Decision on Steel rebar" });
  expect(group.contains(document.activeElement)).toBe(true);
  expect(container.textContent).toContain("Decide on this row.");
});

it("leaves a row out with its reason", async () => {
  const { sent, user } = show(exchanges);
  await user.click(screen.getByRole("button", { name: /^Approve all without warnings/ }));
  await user.click(screen.getAllByRole("radio", { name: "Leave out" })[1] as HTMLElement);
  await user.type(screen.getByRole("textbox", { name: /^Why leave out Steel rebar/ }), "which one?");
  await user.click(screen.getByRole("button", { name: /^Approve 2 rows, leave out 1/ }));
  expect(sent[0]).toMatchObject({ body: { approved: true, response_data: { approved_rows: ["1", "3"], rejected_rows: { "2": "which one?" } } } });
});

it("takes all rows left out for a rejection, which says why", async () => {
  const { sent, user } = show(exchanges, { draft: { rows: { "1": "left_out", "2": "left_out", "3": "left_out" } } });
  await user.click(screen.getByRole("button", { name: /^Approve rows/ }));
  expect(sent).toEqual([]);
  await user.click(screen.getByRole("button", { name: /^Leave out all…/ }));
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: /^Why not/ }));
});

it("does not send an amount that is none", async () => {
  const { sent, user } = show(exchanges, { draft: { rows: { "1": "approved", "2": "approved", "3": "approved" }, cells: { "1": { amount: "ten" } } } });
  await user.click(screen.getByRole("button", { name: /^Approve all 3 rows/ }));
  expect(sent).toEqual([]);
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: /^Amount of Concrete/ }));
});

it("changes what stands beside the rows, too", async () => {
  const edit_schema = { type: "object", properties: { process_id: { type: "string", title: "Process" } } };
  const open = message("exchanges", { ...exchangesFields, edit_schema });
  const rows = { "1": "approved", "2": "approved", "3": "approved" };
  const { sent, user } = show(open, { draft: { rows, edits: { process_id: "p2" } } });
  await user.click(screen.getByRole("button", { name: /^Approve all 3 rows/ }));
  expect(sent[0]).toMatchObject({ body: { response_data: { edits: { process_id: "p2" } } } });
});

it("shows values that have no column", () => {
  const [first] = exchangesFields["rows"] as { row_id: string; values: object }[];
  const rows = [{ ...first, values: { ...first?.values, uncertainty: "lognormal" }, warnings: [] }];
  show(message("exchanges", { ...exchangesFields, rows } as never));
  expect(screen.getByText("lognormal")).toBeTruthy();
});
