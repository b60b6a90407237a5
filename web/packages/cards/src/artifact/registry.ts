// An application's own artifacts: what draws which ui_tool_id beside the chat. Without an entry an artifact is shown as
// Markdown or JSON, and edited as text.
import type { ArtifactItem, JsonValue } from "@sayso/core";
import type { ReactElement } from "react";

/** How a save ended; `why` is a sentence for people. In a conflict someone else has saved a newer version first. */
export type SaveResult =
  | { is: "saved"; version: number }
  | { is: "conflict"; why: string }
  | { is: "failed"; why: string };

/** What every artifact gets: the artifact, and what the page does for it. */
export interface ArtifactProps {
  artifact: ArtifactItem;
  /** Saves `content`, made from version `base`. */
  save: (base: number, content: JsonValue) => Promise<SaveResult>;
  /** The address of the artifact as a file. */
  fileUrl: (format: string) => string;
  /** Tells those who use a screen reader. */
  announce: (text: string, urgency?: "polite" | "assertive") => void;
}

export type ArtifactComponent = (props: ArtifactProps) => ReactElement | null;

export interface ArtifactRenderer {
  /** Whether it can draw this content: a person may have changed it into anything, which is then shown as text. */
  canDraw: (content: JsonValue) => boolean;
  /** Loads the component when an artifact is first drawn: `() => import("./MyView.tsx")`. */
  load: () => Promise<{ default: ArtifactComponent }>;
}

const renderers = new Map<string, ArtifactRenderer>();

/** Draw artifacts of `uiToolId` with `renderer` from now on; returns a function that removes it. */
export function registerArtifact(uiToolId: string, renderer: ArtifactRenderer): () => void {
  renderers.set(uiToolId, renderer);
  return () => {
    if (renderers.get(uiToolId) === renderer) renderers.delete(uiToolId);
  };
}

export function artifactRenderer({ ui_tool_id, content }: ArtifactItem): ArtifactRenderer | undefined {
  const renderer = renderers.get(ui_tool_id);
  return renderer?.canDraw(content) ? renderer : undefined;
}
