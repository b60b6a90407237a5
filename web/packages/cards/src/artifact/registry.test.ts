import type { ArtifactItem, JsonValue } from "@sayso/core";
import { expect, it } from "vitest";
import { artifactRenderer, registerArtifact } from "./registry.ts";

const lists = { canDraw: (content: JsonValue) => Array.isArray(content), load: () => Promise.resolve({ default: () => null }) };
const artifact = (content: JsonValue) => ({ ui_tool_id: "menu", content }) as ArtifactItem;

it("draws what was registered, as long as it can, and until it is taken back", () => {
  expect(artifactRenderer(artifact([]))).toBeUndefined();
  const unregister = registerArtifact("menu", lists);
  expect(artifactRenderer(artifact(["soup"]))).toBe(lists);
  expect(artifactRenderer(artifact("soup"))).toBeUndefined();
  expect(artifactRenderer({ ...artifact([]), ui_tool_id: "other" })).toBeUndefined();
  unregister();
  expect(artifactRenderer(artifact([]))).toBeUndefined();
});

it("leaves a newer renderer in place when an older one is taken back", () => {
  const unregister = registerArtifact("menu", lists);
  const newer = { ...lists };
  const unregisterNewer = registerArtifact("menu", newer);
  unregister();
  expect(artifactRenderer(artifact([]))).toBe(newer);
  unregisterNewer();
});
