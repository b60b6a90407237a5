// What an action is made from: each value with its origin, changed in place, and shown once more before it runs.
import { screen } from "@testing-library/preact";
import { expect, it } from "vitest";
import { DIGEST, requirements, settled } from "../testing/fixtures.ts";
import { refusal, show } from "../testing/press.tsx";
import { originWords } from "./origin.ts";

const button = (name: RegExp | string) => screen.getByRole("button", { name });

it("says what was offered, and the words that accepted it", () => {
  const taken = { source: "from your message", quote: "that sounds great", offered: "Grand Hotel", assumed: false };
  expect(originWords(taken)).toBe("offered as “Grand Hotel”, accepted by your “that sounds great”");
});

it("shows every value with its label and where it came from, in words", () => {
  const { container } = show(requirements);
  const rows = [...container.querySelectorAll(".sy-body .sy-pair")].map((row) => row.textContent);
  expect(rows).toEqual([
    "DestinationTokyoChangefrom your message: “to Tokyo”",
    "Current locationNYCChangefrom your message: “from NYC”",
    "Trip duration10 daysChangefrom your message: “for 10 days”",
    "Num travelers1Changeassumed, not said",
    "Interestsfood, museumsChangeentered by you",
    "PaceslowChangechosen by you",
    "AccommodationNot specifiedAdd",
  ]);
});

it("goes ahead with what was shown", async () => {
  const { sent, user } = show(requirements);
  await user.click(button("Create the checklist: Create the checklist?"));
  expect(sent).toEqual([{ type: "answer", body: { approved: true, metadata: { digest: DIGEST } } }]);
});

it("says no without asking why", async () => {
  const { sent, user } = show(requirements);
  await user.click(button(/^Not yet/));
  expect(sent).toEqual([{ type: "answer", body: { approved: false, metadata: { digest: DIGEST } } }]);
});

it("changes each kind of value by its own control, exactly, and says that it is shown again", async () => {
  const { sent, user } = show(requirements);
  await user.click(button("Change: Trip duration"));
  const count = screen.getByRole("textbox", { name: "Trip duration: how many" }) as HTMLInputElement;
  expect([document.activeElement, count.value]).toEqual([count, "10"]);
  await user.clear(count);
  await user.type(count, "2");
  await user.selectOptions(screen.getByRole("combobox", { name: "Trip duration: of what" }), "weeks");
  await user.click(button("Change: Interests"));
  await user.type(screen.getByRole("textbox", { name: /^Interests/ }), "\ntemples");
  await user.click(button("Change: Pace"));
  await user.selectOptions(screen.getByRole("combobox", { name: /^Pace/ }), "fast");
  await user.click(button("Add: Accommodation"));
  await user.type(screen.getByRole("textbox", { name: /^Accommodation/ }), "hotel");
  expect(screen.queryByRole("button", { name: /^Create/ })).toBeNull();
  expect(screen.getByText(/you see it once more/)).toBeTruthy();
  await user.click(button(/^Change and show again/));
  const edits = { trip_duration: "P14D", interests: ["food", "museums", "temples"], pace: "fast", accommodation: "hotel" };
  expect(sent).toEqual([{ type: "answer", body: { approved: true, response_data: { edits }, metadata: { digest: DIGEST } } }]);
});

it("sends nothing that does not fit, and leads to it", async () => {
  const { sent, user } = show(requirements);
  await user.click(button("Change: Num travelers"));
  const input = screen.getByRole("textbox", { name: /^Num travelers/ });
  await user.clear(input);
  await user.type(input, "0");
  await user.click(button(/^Change and show again/));
  expect(sent).toEqual([]);
  expect(document.activeElement).toBe(input);
  expect(screen.getByText("It must be 1 or more.")).toBeTruthy();
});

it("goes back to what was there, and gives the focus back", async () => {
  const { user } = show(requirements);
  await user.click(button("Change: Destination"));
  await user.type(screen.getByRole("textbox", { name: /^Destination/ }), " and Kyoto");
  await user.click(button("Keep Tokyo: Destination"));
  expect(document.activeElement).toBe(button("Change: Destination"));
  expect(button(/^Create the checklist/)).toBeTruthy();
});

it("says why it could not be sent, and what was wrong with a value", async () => {
  const errors = [{ path: "edits/trip_duration", message: "is too long" }];
  const { user } = show(requirements, { refusing: { ...refusal, errors }, draft: { edits: { trip_duration: { count: "900", unit: "weeks" } } } });
  await user.click(button(/^Change and show again/));
  const count = await screen.findByRole("textbox", { name: "Trip duration: how many" });
  expect(count.getAttribute("aria-invalid")).toBe("true");
  expect(document.getElementById(count.getAttribute("aria-describedby") ?? "")?.textContent).toBe("is too long");
  expect(screen.getByText("The server could not be reached.", { exact: false })).toBeTruthy();
});

it("settles into one line that keeps each value with its origin", () => {
  const { container } = show(settled(requirements, "completed", { completed_by: "ana" }));
  expect(container.querySelector("summary")?.textContent).toMatch(/^• Create the checklist\? approved by ana/);
  expect(container.querySelector(".sy-record")?.textContent).toContain("10 days (from your message: “for 10 days”)");
});
