// What is typed and what is sent are the same length of time.
import { expect, it } from "vitest";
import { durationInput, durationOf, unitOf } from "./duration.ts";

it.each([
  ["P10D", "10", "days"],
  ["P14D", "14", "days"],
  ["P2W", "14", "days"],
  ["P1DT12H", "36", "hours"],
  ["PT90M", "90", "minutes"],
])("%s reads as %s %s, and is sent as the same time", (wire, count, unit) => {
  expect(durationInput(wire)).toEqual({ count, unit });
  expect(durationInput(durationOf(Number(count), unitOf(unit)))).toEqual({ count, unit });
});

it.each([[2, "weeks", "P14D"], [36, "hours", "P1DT12H"], [90, "minutes", "PT1H30M"], [0.5, "days", "PT12H"]] as const)(
  "%s %s is sent as %s",
  (count, unit, wire) => expect(durationOf(count, unit)).toBe(wire),
);

it("leaves what it cannot read to be typed anew", () => {
  expect(durationInput("soon")).toEqual({ count: "", unit: "days" });
  expect(durationInput(null)).toEqual({ count: "", unit: "days" });
});
