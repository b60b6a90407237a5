// A notice is done when it was shown, to whom it is for, and says no more than that it was seen.
import { screen } from "@testing-library/preact";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DIGEST, message } from "../testing/fixtures.ts";
import { refusal, show } from "../testing/press.tsx";
import { MOMENT_MILLISECONDS } from "../useShown.ts";

const fields = {
  title: "The backup is done",
  agent_message: "",
  question: "The backup is done",
  options: [{ id: "seen", label: "Seen" }],
  context: { files: 12 },
  allow_notes: false,
  is_notice: true,
};
const notice = message("options", fields, { digest: DIGEST });
const seen = { type: "answer", body: { approved: true, response_data: { selected_option: "seen" }, metadata: { digest: DIGEST } } };

let look: (isIntersecting: boolean) => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(told: (changes: { isIntersecting: boolean }[]) => void) {
        look = (isIntersecting) => told([{ isIntersecting }]);
      }
      observe(): void {}
      disconnect(): void {}
    },
  );
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pass = (milliseconds = MOMENT_MILLISECONDS) => vi.advanceTimersByTimeAsync(milliseconds);

it("is done once it was in view for a moment, with nothing to press", async () => {
  const { sent, container } = show(notice);
  await pass();
  expect(sent).toEqual([]);
  look(true);
  await pass(MOMENT_MILLISECONDS / 2);
  look(false);
  await pass();
  expect(sent).toEqual([]);
  look(true);
  await pass();
  expect(sent).toEqual([seen]);
  expect(screen.queryByRole("button")).toBeNull();
  expect(container.textContent).not.toContain("Sending");
});

it("is not shown by a page that nobody sees", async () => {
  const sight = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  const { sent } = show(notice);
  look(true);
  await pass();
  expect(sent).toEqual([]);
  sight.mockRestore();
  document.dispatchEvent(new Event("visibilitychange"));
  await pass();
  expect(sent).toEqual([seen]);
});

it("that is for somebody else is not done by whoever else reads it", async () => {
  const { sent } = show(message("options", fields, { digest: DIGEST, assignees: ["ana"] }), { me: "ben" });
  look(true);
  await pass();
  expect(sent).toEqual([]);
  screen.getByRole("button", { name: /^Seen/ }).click();
  expect(sent).toEqual([seen]);
});

it("where telling so failed, a button is there, and no problem that nobody caused", async () => {
  const { container } = show(notice, { refusing: refusal });
  look(true);
  await pass();
  expect(container.textContent).not.toContain(refusal.title);
  screen.getByRole("button", { name: /^Seen/ }).click();
  await pass();
  expect(container.textContent).toContain(refusal.title);
});

it("keeps what it said open for whom it was shown to, and a line for the others", async () => {
  const settled = { ui_tool_completed: true, ui_tool_status: "completed", completed_by: "ana" } as const;
  const later = message("options", fields, { digest: DIGEST }, settled);
  const here = show(notice, { me: "ana" });
  look(true);
  await pass();
  here.becomes(later);
  expect(here.container.querySelector("details")?.open).toBe(true);
  expect(here.container.querySelector("summary")?.textContent).toContain("The backup is done seen by you");
  expect(here.container.textContent).not.toContain("What was answered");
  here.unmount();
  const elsewhere = show(later, { me: "ben" });
  expect(elsewhere.container.querySelector("details")?.open).toBe(false);
  expect(elsewhere.container.querySelector("summary")?.textContent).toContain("The backup is done seen by ana");
});
