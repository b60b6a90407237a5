// The TypeScript fold against the vectors that Python wrote and passes as well.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { emptyView, fold, mergePage, overlay } from "./fold.ts";
import { MalformedFrame, readEvent, readFrame, readView } from "./wire/read.ts";
import type { ChatView, JsonObject, JsonValue } from "./wire/types.ts";

interface Vector {
  name: string;
  changes: boolean;
  view?: JsonObject;
  page?: JsonObject;
  events: JsonObject[];
  frames: JsonObject[];
  expected: JsonValue;
}

const folder = new URL("../../../../tests/vectors/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));

describe.each(files)("%s", (file) => {
  const vectors = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Vector[];
  it.each(vectors.map((vector) => [vector.name, vector] as const))("%s", (_, vector) => {
    const before = vector.view === undefined ? emptyView("c1", "default") : readView(vector.view);
    const untouched = structuredClone(before);
    expect(run(before, vector)).toEqual(vector.expected);
    expect(before).toEqual(untouched);
  });
});

function run(view: ChatView, vector: Vector): ChatView | "sync" | "error" {
  try {
    const events = vector.events.map(readEvent).filter((event) => event !== null);
    if (vector.page === undefined) view = fold(view, events);
    else view = mergePage(fold(view, events), readView(vector.page), events);
  } catch (error) {
    if (error instanceof MalformedFrame) return "error";
    throw error;
  }
  for (const wire of vector.frames) {
    const frame = readFrame(JSON.stringify(wire));
    if (frame.is !== "delta" && frame.is !== "live") throw new Error(`no text: ${frame.is}`);
    const drawn = overlay(view, frame.is === "delta" ? frame.delta : frame.live);
    if (drawn === null) return "sync";
    view = drawn;
  }
  return view;
}
