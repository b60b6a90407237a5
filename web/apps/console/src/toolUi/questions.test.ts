import { expect, it } from "vitest";
import { fits } from "./fits.ts";
import { createNotes } from "./notes.ts";
import { fileName, filesIn, linkIn, messageIn, noteIn } from "./questions.ts";

const text = (words: string) => [{ type: "text", text: words }];

it("takes a message of the person, in words", () => {
  expect(messageIn({ role: "user", content: text("Delete it") })).toEqual({ kind: "message", text: "Delete it" });
  expect(messageIn({ role: "user", content: { type: "text", text: "as one block" } })).toMatchObject({ text: "as one block" });
  for (const role of ["assistant", "system", undefined]) expect(messageIn({ role: role as string, content: text("x") })).toBeNull();
  expect(messageIn({ role: "user", content: [{ type: "image", data: "" }] })).toBeNull();
  expect(messageIn({ role: "user", content: text(" ") })).toBeNull();
  expect(messageIn({ role: "user", content: text("x".repeat(20_001)) })).toBeNull();
});

it.each([
  ["https://example.com/a?b=c", "example.com"],
  ["http://bücher.example/", "xn--bcher-kva.example"],
  ["https://еxample.com/", "xn--xample-2of.com"],
])("shows %s with its host as it is looked up", (url, host) => {
  const question = linkIn({ url });
  expect(question?.kind === "link" && question.url.host).toBe(host);
});

it.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "https://bank.test@evil.test/", "/inbox", "", 7, "https://a.test/" + "x".repeat(2000)])(
  "opens no %s",
  (url) => expect(linkIn({ url })).toBeNull(),
);

it("takes a note in text or as data, and none that is long", () => {
  expect(noteIn({ content: text("3 pods"), structuredContent: { pods: 3 } })).toBe('3 pods\n{"pods":3}');
  expect(noteIn({})).toBe("");
  expect(noteIn({ content: text("x".repeat(16_001)) })).toBeNull();
  expect(noteIn({ content: [{ type: "image" }] })).toBeNull();
});

it.each([
  ["../../etc/passwd", "passwd"],
  ["C:\\temp\\a.txt", "a.txt"],
  ["file:///x/%2e%2e%2fpasswd", "_passwd"],
  [".bashrc", "bashrc"],
  ["a\u202Egnp.exe", "a_gnp.exe"],
  ["", "file"],
  ["ui://pods/list%20of.csv", "list of.csv"],
  ["100%.txt", "100%.txt"],
])("saves %s as %s", (path, name) => expect(fileName(path)).toBe(name));

it("reads files that are text, bytes or links, and nothing else", () => {
  const file = { type: "resource", resource: { uri: "ui://a/b.txt", text: "hello" } };
  expect(filesIn({ contents: [file] })).toMatchObject({ files: [{ name: "b.txt", bytes: new TextEncoder().encode("hello") }] });
  const link = { type: "resource_link", uri: "ui://a/c", name: "c.csv" };
  expect(filesIn({ contents: [link] })).toMatchObject({ files: [{ name: "c.csv", bytes: null, uri: "ui://a/c" }] });
  for (const contents of [[], [null], [{ type: "text" }], [{ type: "resource", resource: { uri: "a", blob: "%%" } }], Array(11).fill(file)]) {
    expect(filesIn({ contents })).toBeNull();
  }
});

it("knows what is JSON, and how much of it", () => {
  expect(fits({ a: [1, "x", null, true] }, 100)).toBe(true);
  expect(fits("x".repeat(99), 100)).toBe(false);
  expect(fits(new Array(1e9), 100)).toBe(false);
  expect(fits({ a: undefined }, 100)).toBe(true);
  expect(fits({ a: 1n }, 100)).toBe(false);
  expect(fits(new Date(), 100)).toBe(false);
  let deep: unknown = 1;
  for (let n = 0; n < 100; n++) deep = [deep];
  expect(fits(deep, 10_000)).toBe(false);
});

it("keeps the last note of each app until it is sent or taken away", () => {
  const notes = createNotes();
  notes.put({ callId: "1", name: "a UI", text: "one" });
  notes.put({ callId: "1", name: "a UI", text: "two" });
  notes.put({ callId: "2", name: "b UI", text: "three" });
  expect(notes.context()).toEqual({ tool_ui: [{ name: "a UI", text: "two" }, { name: "b UI", text: "three" }] });
  notes.remove("2");
  notes.put({ callId: "1", name: "a UI", text: "" });
  expect(notes.context()).toBeUndefined();
});
