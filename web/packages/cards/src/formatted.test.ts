// Amounts, units and times as the reader writes them: exactly, or as they stand.
import { speak } from "@sayso/core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { formatted } from "./words.ts";

beforeEach(() => speak("en", {}, ["en-GB"]));
afterEach(() => speak("en", {}));

const euros = { format: "currency" as const, currency: "EUR" };

it.each([
  [42, euros, "€42.00"],
  [1234.5, euros, "€1,234.50"],
  [0.12345, euros, "€0.12345"],
  [42, { format: "currency" as const, currency: "nonsense" }, "42"],
  ["42", euros, "42"],
  [2.4, { unit: "kg" }, "2.4 kg"],
  ["2026-11-24", { format: "date" as const }, "24 Nov 2026"],
  ["tomorrow", { format: "date" as const }, "tomorrow"],
  ["2026-11-24T09:30:00.123Z", { format: "date-time" as const }, "2026-11-24T09:30:00.123Z"],
  [7, undefined, "7"],
])("%s as %o reads %s", (value, as, words) => {
  expect(formatted(value, as)).toBe(words);
});

it("follows the reader", async () => {
  await speak("en", {}, ["de-DE"]);
  expect(formatted(1234.5, euros)).toBe("1.234,50\u00a0€");
});
