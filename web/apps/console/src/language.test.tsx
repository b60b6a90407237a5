// The console in the reader's language: chosen or the browser's, kept for the person, and drawn anew where one stands.
import { act, cleanup, render, screen } from "@testing-library/preact";
import { language, locales, speak } from "@sayso/core";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { App } from "./App.tsx";
import { choose, followPreferences, preferred, startLanguage } from "./language.ts";
import { startServer } from "./testing/server.ts";

let server: ReturnType<typeof startServer>;

beforeEach(() => {
  localStorage.clear();
  server = startServer();
  server.routes.set("PUT /api/preferences", (body) => body);
});

afterEach(async () => {
  cleanup();
  localStorage.clear();
  vi.restoreAllMocks();
  await startLanguage();
  speak("en", {});
});

function browserSpeaks(...tags: string[]): void {
  vi.spyOn(navigator, "languages", "get").mockReturnValue(tags);
}

it.each([
  [["zh-CN", "en"], "zh-Hans"],
  [["zh-SG"], "zh-Hans"],
  [["zh"], "zh-Hans"],
  [["zh-TW", "en-GB"], "en"],
  [["de-DE", "zh-Hans-CN", "en"], "zh-Hans"],
  [["de-DE"], "en"],
  [["en-IN", "zh-CN"], "en"],
])("of %j the browser's first that is known is spoken", (tags, spoken) => {
  expect(preferred(tags)).toBe(spoken);
});

it("a browser that prefers Chinese gets it, with its own dates, and the page says which language it is in", async () => {
  browserSpeaks("zh-CN", "en-US");
  await startLanguage();
  history.replaceState(null, "", "/");
  render(<App />);
  expect(await screen.findByRole("heading", { level: 2, name: "今天想做什么？" })).toBeTruthy();
  expect(document.documentElement.lang).toBe("zh-Hans");
  expect(locales()).toEqual(["zh-CN"]);
});

it("a choice is spoken at once, kept for the person, and the page is drawn anew without losing its place", async () => {
  history.replaceState(null, "", "/");
  render(<App />);
  const box = await screen.findByRole("textbox", { name: "Message" });
  box.focus();
  await act(() => choose("zh-Hans"));
  expect(screen.getByRole("textbox", { name: "消息" })).toBe(box);
  expect(document.activeElement).toBe(box);
  expect(server.requests.find(({ method }) => method === "PUT")).toMatchObject({ path: "/api/preferences", body: { language: "zh-Hans" } });
  await act(() => choose("en"));
  expect(screen.getByRole("textbox", { name: "Message" })).toBe(box);
  expect(document.documentElement.lang).toBe("en");
});

it("a choice made here or on another device is followed by the next page", async () => {
  await choose("zh-Hans");
  speak("en", {});
  await startLanguage();
  expect(language()).toBe("zh-Hans");
  server.routes.set("GET /api/preferences", { language: "en" });
  await followPreferences();
  expect(language()).toBe("en");
});

it("speaks on as it does where nobody is signed in", async () => {
  server.routes.set("GET /api/preferences", { type: "x", title: "Sign in", status: 401, code: "not_signed_in", detail: "This server asks who you are." });
  await choose("zh-Hans");
  await followPreferences();
  expect(language()).toBe("zh-Hans");
});
