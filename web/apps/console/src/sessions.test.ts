// What one session asked for stands together, where its first row stands.
import type { Asker } from "@sayso/core";
import { expect, it } from "vitest";
import { bySession } from "./sessions.ts";

const by = (client: string, session: string): Asker => ({ client, session, folder: "", host: "" });
const ASKERS: Record<string, Asker | null> = {
  a: by("ci", "build-7"),
  b: null,
  c: by("ci", "build-7"),
  d: by("cron", "build-7"),
  e: by("ci", ""),
};

it("joins the rows of one asker's session, and leaves the others alone in their order", () => {
  const found = bySession(["a", "b", "c", "d", "e"], (row) => ASKERS[row]);
  expect(found).toEqual([
    { name: "build-7", rows: ["a", "c"] },
    { name: "", rows: ["b"] },
    { name: "build-7", rows: ["d"] },
    { name: "", rows: ["e"] },
  ]);
});
