import { expect, it } from "vitest";
import { contentOf, dated, sumOf, tripOf } from "./shapes.ts";

const CHECKLIST = { categories: [{ name: "Papers", items: [{ text: "Passport", done: true }] }], note: "" };

it("reads what the pack makes, and gives it back as it was", () => {
  const trip = tripOf("trip_checklist", CHECKLIST);
  expect(trip?.kind).toBe("trip_checklist");
  expect(trip && contentOf(trip)).toEqual(CHECKLIST);
});

it.each([
  ["trip_checklist", "words"],
  ["trip_checklist", { categories: [{ name: "x", items: [{ text: 1 }] }] }],
  ["trip_itinerary", { days: [null] }],
  ["trip_budget", { total: "many", lines: [] }],
  ["artifact", CHECKLIST],
])("leaves to others what has another shape: %s %j", (kind, content) => {
  expect(tripOf(kind, content)).toBeNull();
});

it("dates the days from the first one, over the end of a month, and takes the dates away again", () => {
  const days = [1, 2].map((n) => ({ title: `Day ${n}`, parts: [] }));
  const made = dated(days, "2027-02-28");
  expect(made.map(({ date }) => date)).toEqual(["2027-02-28", "2027-03-01"]);
  expect(dated(made, "")).toEqual(days);
});

it("adds amounts without the errors of fractions", () => {
  const lines = [0.1, 0.2].map((amount) => ({ category: "x", amount, note: "" }));
  expect(sumOf(lines)).toBe(0.3);
});
