// A settled card is one line that says how it ended, by whom and when, and keeps the rest behind Details.
import { screen } from "@testing-library/preact";
import { speak } from "@sayso/core";
import { expect, it, onTestFinished } from "vitest";
import chinese from "../../../locales/zh-Hans.po";
import { approval, recoverable, settled, uiTool } from "./testing/fixtures.ts";
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

it.each([
  ["completed", `${title} completed, with amount and note changed`, /^✓ Refund €42.00 for order 1001 已完成，修改了 amount 和 note · 由您批准 · /],
  ["completed", `${title} completed, with 3 values changed`, /^✓ Refund €42.00 for order 1001 已完成，修改了 3 个值 · 由您批准 · /],
  ["rejected", `${title} rejected: too much`, /^✕ Refund €42.00 for order 1001 已拒绝：too much · 操作人：您 · /],
  ["expired", `${title} expired`, /^◷ Refund €42.00 for order 1001 已过期 · /],
  ["completed", "In an agent's own words", /^✓ Refund €42.00 for order 1001 In an agent's own words · /],
] as const)("says the server's summary of %s in the reader's language: %s", (status, response_summary, words) => {
  speak("zh-Hans", chinese);
  onTestFinished(() => speak("en", {}));
  const { container } = show(settled(approval, status, { response_summary, completed_by: "me" }), { me: "me" });
  expect(line(container)).toMatch(words);
});

it("fetches what was answered when it is opened, and again if that failed", async () => {
  let tries = 0;
  const asked: string[] = [];
  const { container, user } = show(settled(approval, "rejected", { completed_by: "ana" }), {
    loadResponse(id) {
      asked.push(id);
      tries += 1;
      return tries === 1 ? Promise.reject(new Error("away")) : Promise.resolve({ approved: false, user_message: "too much" });
    },
  });
  expect(asked).toEqual([]);
  const details = container.querySelector("details") as HTMLDetailsElement;
  details.open = true;
  await user.click(await screen.findByRole("button", { name: "Try again" }));
  expect(await screen.findByText("too much")).toBeTruthy();
  expect(asked).toEqual(["0193-approval", "0193-approval"]);
});

it("keeps what was typed here when somebody else answered", async () => {
  const { container, user, becomes } = show(approval, { me: "me" });
  await user.click(screen.getByRole("button", { name: /^Reject/ }));
  await user.type(screen.getByRole("textbox", { name: /^Why not/ }), "Only the teapot");
  becomes(settled(approval, "completed", { completed_by: "ana" }));
  expect(container.querySelector(".sy-unsent")?.textContent).toContain("What you had written was not sent:");
  expect(container.querySelector("blockquote")?.textContent).toBe("Reason: Only the teapot");
});

it("offers nothing of what was sent from here, or brought back from my other device", async () => {
  const { container, user, becomes } = show(approval, { me: "me", draft: { note: "thanks" } });
  await user.click(screen.getByRole("button", { name: /^Approve/ }));
  becomes(settled(approval, "completed", { completed_by: "me" }));
  expect(container.querySelector(".sy-unsent")).toBeNull();
  const elsewhere = show(settled(approval, "completed", { completed_by: "me" }), { me: "me", draft: { note: "thanks" } });
  expect(elsewhere.container.querySelector(".sy-unsent")).toBeNull();
});

it("says in one line that an error was tried again, and offers it no more", () => {
  const title = "Flow property 'Volumee' not found";
  const { container } = show(settled(recoverable, "superseded", { completed_by: "me", response_summary: `${title} superseded: tried again` }), { me: "me" });
  expect(line(container)).toMatch(/^↻ Flow property 'Volumee' not found tried again · by you · /);
  expect(container.querySelector("form, button")).toBeNull();
});
