// What is held says when it runs, and can be taken back until the server says that it has begun.
import { messageOf, endingOf, decidedAs, uiToolOf, type Interaction } from "@sayso/core";
import { screen } from "@testing-library/preact";
import { afterEach, expect, it, vi } from "vitest";
import { DIGEST, hold, message, settled } from "../testing/fixtures.ts";
import { refusal, show } from "../testing/press.tsx";

afterEach(() => vi.restoreAllMocks());

const UNTIL = "2026-11-21T14:00:10+00:00";
const undo = () => screen.getByRole("button", { name: "Undo: Refund €42.00 for order 1001" });

it("says how long it is held, and keeps the button where this clock is ahead", () => {
  const now = vi.spyOn(Date, "now").mockReturnValue(Date.parse(UNTIL) - 7_500);
  const { container, unmount } = show(hold);
  expect(container.textContent).toContain("Refund €42.00 for order 1001 runs in 8 s");
  unmount();
  now.mockReturnValue(Date.parse(UNTIL) - 12 * 60_000);
  expect(show(hold).container.textContent).toContain("runs in 12 min");
  now.mockReturnValue(Date.parse(UNTIL) + 5_000);
  const late = show(message("hold", { title: "Late" }, { expires_at: UNTIL }));
  expect(late.container.textContent).toContain("Late runs now");
  expect(screen.getByRole("button", { name: "Undo: Late" }).getAttribute("aria-disabled")).toBe("false");
});

it("takes the yes back with the digest that was shown, once", async () => {
  const { sent, user } = show(message("hold", { title: "Refund €42.00 for order 1001" }, { digest: DIGEST }));
  await user.dblClick(undo());
  expect(sent).toEqual([{ type: "answer", body: { approved: false, metadata: { digest: DIGEST } } }]);
});

it("tells that it came too late, and can be pressed again where it was not sent", async () => {
  const { sent, user, container } = show(hold, { refusing: refusal });
  await user.click(undo());
  expect(container.textContent).toContain("The server could not be reached.");
  await user.click(undo());
  expect(sent.length).toBe(2);
});

it.each([
  ["expired", "let_run", "not taken back"],
  ["completed", "let_run", "not taken back"],
  ["rejected", "taken_back", "taken back"],
  ["dismissed", "taken_back", "taken back"],
] as const)("that is %s reads alike in its chat and in a list", (status, code, words) => {
  const tool = uiToolOf(settled(hold, status, { code: `settled.${code}`, params: { name: "Refund" }, response_summary: "…" }))!;
  expect(endingOf(tool).words).toBe(words);
  const row = { card: "hold", status, payload: tool.payload, title: "Refund", ui_tool_id: "hold" } as unknown as Interaction;
  expect(decidedAs(row)).toBe(words);
  expect(endingOf(uiToolOf(messageOf(row))!).words).toBe(words);
});
