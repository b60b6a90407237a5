// Parts of a conversation: an entry stays in its part, whatever comes above it and below it.
import { describe, expect, it } from "vitest";
import type { LiveText, MessageItem } from "@sayso/core";
import { createLogParts, type Drawn, idOfDrawn, type LogPart } from "./logParts.ts";

const message = (sequence: number): MessageItem => ({
  kind: "message",
  event_id: `m${sequence}`,
  sequence,
  as_of: sequence,
  role: "user",
  agent_name: null,
  content: "",
  timestamp: "",
  status: "complete",
  metadata: {},
});
const ALL = Array.from({ length: 500 }, (_, n) => message(n + 1));
const from = (sequence: number, to = 500) => ALL.slice(sequence - 1, to);
const flat = (parts: readonly LogPart[]) => parts.flatMap(({ entries }) => [...entries]);
const homes = (parts: readonly LogPart[]) =>
  new Map(parts.flatMap(({ key, entries }) => entries.map((entry) => [idOfDrawn(entry), key] as const)));

describe("the parts of a conversation", () => {
  it("hold every entry once, in its order, while pages come in above", () => {
    const cut = createLogParts();
    let known = new Map<string, string>();
    for (let before = 451; before >= 1; before -= 50) {
      const entries = from(before);
      const parts = cut(entries, before === 1 ? null : before);
      expect(flat(parts)).toEqual(entries);
      expect(new Set(parts.map(({ key }) => key)).size).toBe(parts.length);
      const now = homes(parts);
      for (const [id, key] of known) expect(now.get(id)).toBe(key);
      known = now;
    }
    expect(Math.max(...cut(ALL, null).map(({ entries }) => entries.length))).toBeLessThanOrEqual(60);
  });

  it("grow at the end, and only the last one is another", () => {
    const cut = createLogParts();
    const first = cut(from(401, 450), 401);
    const next = cut(from(401, 455), 401);
    expect(next).toHaveLength(1);
    expect(next[0]?.key).toBe(first[0]?.key);
    const later = cut(from(401, 480), 401);
    expect(later.map(({ entries }) => entries.length)).toEqual([60, 20]);
    const last = cut(from(401, 481), 401);
    expect(last[0]).toBe(later[0]);
    expect(last[1]).not.toBe(later[1]);
  });

  it("keep a text in its part when it is complete", () => {
    const cut = createLogParts();
    const live: LiveText = { message_id: "m461", text: "Hello", agent_name: null };
    const writing: Drawn[] = [...from(401, 460), live];
    const before = homes(cut(writing, 401)).get("m461");
    expect(homes(cut(from(401, 461), 401)).get("m461")).toBe(before);
  });

  it("leave a card that waits far above where it is, when its neighbours come", () => {
    const cut = createLogParts();
    const card = message(120);
    const home = homes(cut([card, ...from(451)], 451)).get("m120");
    for (const before of [401, 351, 301, 251, 201, 151, 101, 51, 1]) {
      const entries = [...(before > 120 ? [card] : []), ...from(before).map((entry) => (entry.sequence === 120 ? card : entry))];
      const parts = cut(entries, before === 1 ? null : before);
      expect(flat(parts)).toEqual(entries);
      expect(homes(parts).get("m120")).toBe(home);
      expect(parts.find(({ key }) => key === home)?.entries).toEqual([card]);
    }
  });
});
