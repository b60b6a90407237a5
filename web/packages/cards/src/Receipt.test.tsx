// A settled card is one line that says how it ended, by whom and when, and keeps the rest behind Details.
import { screen } from "@testing-library/preact";
import { type CameOf, speak } from "@sayso/core";
import { expect, it, onTestFinished } from "vitest";
import chinese from "../../../locales/zh-Hans.po";
import { approval, endings, recoverable, settled, uiTool } from "./testing/fixtures.ts";
import { show } from "./testing/press.tsx";

const line = (container: HTMLElement) => container.querySelector(".sy-line")?.textContent ?? "";
const title = "Refund €42.00 for order 1001";

it.each([
  ["completed", /^• Refund €42.00 for order 1001 approved by ana · /],
  ["dismissed", /^– Refund €42.00 for order 1001 skipped · by ana · /],
  ["expired", /^◷ Refund €42.00 for order 1001 expired · by ana · /],
  ["cancelled", /^– Refund €42.00 for order 1001 cancelled · by ana · /],
  ["superseded", /^↻ Refund €42.00 for order 1001 replaced · by ana · /],
] as const)("%s", (status, words) => {
  const { container } = show(settled(approval, status, { completed_by: "ana" }));
  expect(line(container)).toMatch(words);
  expect(container.querySelectorAll("button").length).toBe(0);
});

const paid = { title: "Refund €5.00 for order 1001", changed: [{ path: "amount", before: 42, after: 5 }] };

it.each([
  [{ state: "ran", ...paid }, "ok", /^✓ Refund €5.00 for order 1001 · amount was 42 · approved by you · done · /],
  [{ state: "failed", changed: [], error: "The bank said no" }, "bad", /^✕ Refund €42.00 for order 1001 approved by you · failed: The bank said no · /],
  [{ state: "not_run", changed: [], error: "more than the €43.20 paid" }, "bad", /^✕ .* approved by you · did not run: more than the €43.20 paid · /],
  [{ state: "unclear", changed: [] }, "warn", /^\? .* approved by you · unclear: it may or may not have run · /],
  [{ state: "running", changed: [] }, "calm", /^… .* approved by you · running… · /],
  [{ state: "not_yet", changed: [] }, "calm", /^… .* approved by you · not run yet · /],
  // Without the tool's own words for what ran, the proposed title says that it is no more than that.
  [{ state: "ran", changed: paid.changed }, "ok", /^✓ Refund €42.00 for order 1001 \(as proposed\) · amount was 42 · approved by you · done · /],
] satisfies [CameOf, string, RegExp][])("the glyph is the outcome's, never a tick for what did not run: %o", (outcome, tone, words) => {
  const { container } = show(
    settled(approval, "completed", { completed_by: "me", ...(outcome.changed.length > 0 ? endings.changed(title, ["amount"]) : {}), outcome }),
    { me: "me" },
  );
  expect(line(container)).toMatch(words);
  expect(container.querySelector(".sy-receipt")?.getAttribute("data-tone")).toBe(tone);
});

it("says of a yes in words which words they were", () => {
  const { container } = show(
    settled(approval, "completed", { completed_by: "ana", ...endings.inWords(title, "yes, please"), outcome: { state: "ran", changed: [] } }),
  );
  expect(line(container)).toMatch(/^✓ Refund €42.00 for order 1001 approved by ana: “yes, please” · done · /);
});

it("of what nobody allowed the decision says all", () => {
  const { container } = show(settled(approval, "rejected", { completed_by: "me", outcome: { state: "not_run", changed: [] } }), { me: "me" });
  expect(line(container)).toMatch(/^✕ Refund €42.00 for order 1001 rejected · by you · /);
});

it("rejected, with the reason", () => {
  const { container } = show(settled(approval, "rejected", { ...endings.because(title, "rejected", "too much"), completed_by: "me" }), { me: "me" });
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
  await user.click(screen.getByRole("button", { name: "Use in message" }));
  expect(sent).toEqual([{ type: "compose", text: "Reason: Only the teapot broke" }]);
});

it.each([
  ["completed", endings.changed(title, ["amount", "note"]), /^• Refund €42.00 for order 1001 由您批准，修改了 amount 和 note · /],
  ["completed", endings.changedMany(title, 3), /^• Refund €42.00 for order 1001 由您批准，修改了 3 个值 · /],
  ["rejected", endings.because(title, "rejected", "too much"), /^✕ Refund €42.00 for order 1001 已拒绝：too much · 操作人：您 · /],
  ["rejected", endings.because(title, "rejected", { code: "answer.not_approved", text: "The person did not approve this." }), /已拒绝：未获批准。/],
  ["expired", {}, /^◷ Refund €42.00 for order 1001 已过期 · /],
  // Of an older server it stays as it stands.
  ["rejected", { response_summary: `${title} rejected: too much` }, /^✕ Refund €42.00 for order 1001 rejected: too much · /],
  ["completed", { response_summary: "In an agent's own words" }, /^• Refund €42.00 for order 1001 In an agent's own words · /],
] as const)("says the server's summary of %s in the reader's language: %o", async (status, summary, words) => {
  await speak("zh-Hans", chinese);
  onTestFinished(() => speak("en", {}));
  const { container } = show(settled(approval, status, { ...summary, completed_by: "me" }), { me: "me" });
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
  await user.type(screen.getByRole("textbox", { name: /^Reason for rejecting/ }), "Only the teapot");
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
  const { container } = show(settled(recoverable, "superseded", { completed_by: "me", ...endings.because(title, "superseded", { code: "settled.tried_again", text: "tried again" }) }), { me: "me" });
  expect(line(container)).toMatch(/^↻ Flow property 'Volumee' not found tried again · by you · /);
  expect(container.querySelector("form, button")).toBeNull();
});
