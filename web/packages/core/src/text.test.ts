// Sentences are their own keys; plurals and other languages come from catalogs.
import { afterEach, expect, test } from "vitest";
import english from "../../../locales/en.po";
import chinese from "../../../locales/zh-Hans.po";
import { speak } from "./speak.ts";
import { language, t } from "./text.ts";

afterEach(() => speak("en", english));

test("a sentence stands for itself, with names filled in", () => {
  expect(t("Approve")).toBe("Approve");
  expect(t("{who} answered {what}", { who: "Ana", what: "it" })).toBe("Ana answered it");
});

test("plurals need no catalog in English, and are the same with one", () => {
  expect(t("{n, plural, one {# card waits} other {# cards wait}} for {who}", { n: 1, who: "you" })).toBe("1 card waits for you");
  expect(t("{n, plural, one {# thing} other {# things}} to correct", { n: 0 })).toBe("0 things to correct");
  speak("en", english);
  expect(t("{n, plural, one {# thing} other {# things}} to correct", { n: 1 })).toBe("1 thing to correct");
  expect(t("{n, plural, one {# thing} other {# things}} to correct", { n: 1200 })).toBe("1,200 things to correct");
});

test("another language", () => {
  speak("zh-Hans", chinese);
  expect(t("{n, plural, one {# thing} other {# things}} to correct", { n: 3 })).toBe("3 处需要修正");
  expect(language()).toBe("zh-Hans");
  expect(t("Not in any catalog {n}", { n: 1 })).toBe("Not in any catalog 1");
});
