// What stays, what goes and what comes: nothing is lost on either side, and no more is told than has changed.
import { expect, it } from "vitest";
import { lineDiff } from "./lineDiff.ts";

const drawn = (before: string, after: string) => lineDiff(before, after).map(({ is, text }) => ({ same: " ", out: "-", in: "+" })[is] + text);

it.each([
  ["a\nb\nc", "a\nB\nc", [" a", "-b", "+B", " c"]],
  ["a", "a", [" a"]],
  ["", "a", ["-", "+a"]],
  ["a\nb", "b", ["-a", " b"]],
  ["a\na", "a\na\na", [" a", " a", "+a"]],
  ["select id\nfrom t\nwhere x", "select id, name\nfrom t\nwhere x\nlimit 5", ["-select id", "+select id, name", " from t", " where x", "+limit 5"]],
])("%j becomes %j", (before, after, lines) => expect(drawn(before, after)).toEqual(lines));

it("keeps both sides whole, whatever changed", () => {
  const words = (seed: number) => Array.from({ length: 40 }, (_, n) => "abc"[(n * n * seed + n) % 3]).join("\n");
  for (let seed = 1; seed < 30; seed += 1) {
    const [before, after] = [words(seed), words(seed + 1)];
    const lines = lineDiff(before, after);
    const side = (left: string) => lines.filter(({ is }) => is !== left).map(({ text }) => text).join("\n");
    expect([side("in"), side("out")]).toEqual([before, after]);
  }
});

it("tells very long texts as replaced", () => {
  const long = (word: string) => Array.from({ length: 1500 }, (_, n) => `${word} ${n}`).join("\n");
  expect(lineDiff(`same\n${long("a")}`, `same\n${long("b")}`)[0]).toEqual({ is: "same", text: "same" });
});
