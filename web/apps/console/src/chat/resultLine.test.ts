// A result in a line: the beginning of a text, the size of a table, the figures of data.
import { expect, it } from "vitest";
import { resultLine } from "./resultLine.ts";

it("says the beginning of a text without its signs, and never half a sentence", () => {
  expect(resultLine("# Plan\n\n1. **Measure**\n2. [Order](https://a.example)\n")).toBe("Measure · Order");
  expect(resultLine("# Only a heading")).toBe("Only a heading");
  const long = "It takes no more than the money that is there and not a cent above it, as was said.";
  expect(resultLine(`Done.\n${long}`)).toBe("Done.");
});

it("counts a table and names its columns", () => {
  expect(resultLine("# Orders\n\n| Order | Paid |\n| --- | ---: |\n| 1001 | €42 |\n| 1002 | €18 |\n")).toBe("2 rows · Order, Paid");
});

it("names the figures of data, and counts its lists", () => {
  expect(resultLine({ currency: "EUR", total: 3200.5, lines: [{}, {}], note: "" })).toBe("Currency EUR · Total 3200.5 · Lines 2");
  expect(resultLine({ text: "As it is" })).toBe("As it is");
  expect(resultLine([])).toBe("none");
});
