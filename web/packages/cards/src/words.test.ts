// What is approved stays exact in every language; the times around it are in the reader's.
import { speak } from "@sayso/core";
import { afterEach, beforeEach, expect, it } from "vitest";
import chinese from "../../../locales/zh-Hans.po";
import { clock, span, took } from "./time.ts";
import { labelOf, plain } from "./words.ts";

const NOW = new Date("2026-11-21T14:21:00Z");

beforeEach(() => speak("zh-Hans", chinese, ["zh-CN"]));
afterEach(() => speak("en", {}));

it.each([
  [1234567.5, "1234567.5"],
  [0.1, "0.1"],
  ["2026-11-21", "2026-11-21"],
  ["1,000.00", "1,000.00"],
  [[1000, 2000], "1000; 2000"],
])("%j is never rounded, grouped or rewritten", (value, words) => {
  expect(plain(value)).toBe(words);
});

it.each([
  ["to \u202emoc.live@arik", "to ‹U+202E›moc.live@arik"],
  ["pay\u200bpal", "pay‹U+200B›pal"],
  ["a\u0000b\u{e0041}", "a‹U+0000›b‹U+E0041›"],
])("%j shows what would not be seen", (value, words) => {
  expect(plain(value)).toBe(words);
  expect(plain([{ name: value }])).toContain(words);
  expect(labelOf(value)).toContain(words.slice(3));
});

it.each(["two\nlines\tand a tab", "می\u200cخواهم", "👩\u200d💻", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"])(
  "%j is written as people write it",
  (words) => expect(plain(words)).toBe(words),
);

it("yes, no and nothing are words", () => {
  expect([true, false, null, [], ""].map(plain)).toEqual(["是", "否", "无", "无", "（空）"]);
});

it("times are as the reader writes them", () => {
  expect(clock("2026-11-20T09:05:00Z", NOW)).toBe("11月20日 09:05");
  expect(clock("2025-01-02T09:05:00Z", NOW)).toBe("2025年1月2日 09:05");
  expect(span(3 * 3600_000 + 5 * 60_000)).toBe("3 小时 5 分钟");
  expect(took(1.4)).toBe("1.4 秒");
  speak("en", {}, ["en-GB"]);
  expect(clock("2026-11-20T09:05:00Z", NOW)).toBe("20 Nov, 09:05");
  expect(clock("2026-11-21T14:21:00Z", NOW)).toBe("14:21");
});
