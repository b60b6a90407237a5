// A settled card is one line that says how it ended, by whom and when, and keeps the rest behind Details.
import { screen } from "@testing-library/preact";
import { expect, it } from "vitest";
import { approval, settled, uiTool } from "./testing/fixtures.ts";
import { show } from "./testing/press.tsx";

const line = (container: HTMLElement) => container.querySelector(".sy-line")?.textContent ?? "";
const title = "Refund €42.00 for order 1001";

it.each([
  ["completed", /^✓ Refund €42.00 for order 1001 completed · approved by ana · /],
  ["dismissed", /^– Refund €42.00 for order 1001 dismissed · by ana · /],
  ["expired", /^◷ Refund €42.00 for order 1001 expired · by ana · /],
  ["cancelled", /^– Refund €42.00 for order 1001 cancelled · by ana · /],
  ["superseded", /^↻ Refund €42.00 for order 1001 superseded · by ana · /],
] as const)("%s", (status, words) => {
  const { container } = show(settled(approval, status, { completed_by: "ana" }));
  expect(line(container)).toMatch(words);
  expect(container.querySelectorAll("button").length).toBe(0);
});

it("rejected, with the reason", () => {
  const { container } = show(settled(approval, "rejected", { response_summary: `${title} rejected: too much`, completed_by: "me" }), { me: "me" });
  expect(line(container)).toMatch(/^✕ Refund €42.00 for order 1001 rejected: too much · by you · /);
});

it("calls an application's own card by its ui_tool_id", () => {
  const { container } = show(settled(uiTool, "completed"));
  expect(line(container)).toMatch(/^✓ ActionPlanApprovalForm completed/);
});

it("shows behind Details what was shown and, where this page answered, what was answered", async () => {
  const { container, user, becomes } = show(approval, { draft: { edits: { amount: "34.5" } } });
  await user.click(screen.getByRole("button", { name: /^Approve/ }));
  becomes(settled(approval, "completed"));
  expect(container.querySelector("details")?.open).toBe(false);
  expect(container.querySelector(".sy-record")?.textContent).toContain("ana@example.org");
  expect(container.querySelector(".sy-record .sy-changes")?.textContent).toMatch(/42.*34.5/);
});

it("shows what was answered on another page, where the interaction is at hand", () => {
  const response = {
    approved: false,
    user_message: "too much",
    response_data: { suggestions: ["34.50"], edits: {}, rejected_rows: {}, values: {}, selected_option: null },
  };
  const { container } = show(settled(approval, "rejected"), { response });
  const record = container.querySelector(".sy-record")?.textContent;
  expect(record).toContain("Reasontoo much");
  expect(record).toContain("Suggestions34.50");
  expect(record).not.toContain("Rejected rows");
});

it("keeps what was typed into a card that expired, and offers it for a message", async () => {
  const { container, sent, user } = show(settled(approval, "expired"), { draft: { reason: "Only the teapot broke", edits: {} } });
  expect(container.querySelector("blockquote")?.textContent).toBe("Reason: Only the teapot broke");
  await user.click(screen.getByRole("button", { name: "Put it into a message" }));
  expect(sent).toEqual([{ type: "compose", text: "Reason: Only the teapot broke" }]);
});
