// The outcome of a decision as text and glyph: never a tick for what failed or did not run.
import { type CameOf, messageText, t } from "@sayso/core";
import { labelPath } from "./parts/Changes.tsx";
import type { Change, UiTool } from "./wire.ts";
import { plain } from "./words.ts";

type Settled = Exclude<UiTool["ui_tool_status"], "pending" | "shown">;
type Tone = "ok" | "bad" | "warn" | "calm";

const SIGNS: Record<CameOf["state"], [glyph: string, tone: Tone]> = {
  ran: ["✓", "ok"],
  failed: ["✕", "bad"],
  not_run: ["✕", "bad"],
  unclear: ["?", "warn"],
  running: ["…", "calm"],
  not_yet: ["…", "calm"],
  not_used: ["•", "calm"],
};

const ENDS: Record<Settled, [glyph: string, tone: Tone]> = {
  completed: ["✓", "ok"],
  rejected: ["✕", "bad"],
  dismissed: ["–", "calm"],
  expired: ["◷", "calm"],
  cancelled: ["–", "calm"],
  superseded: ["↻", "calm"],
};

/** Return the glyph and its tone; with `couldRun`, an approval alone is not yet a success. */
export function outcomeSign(status: Settled, outcome: CameOf | null, couldRun: boolean): [glyph: string, tone: Tone] {
  if (status !== "completed" && !(status === "expired" && outcome !== null && outcome.state !== "not_run")) return ENDS[status];
  if (outcome !== null) return SIGNS[outcome.state];
  return couldRun ? ["•", "calm"] : ENDS[status];
}

/** Return the title of what ran, in the tool's own words; if changed values ran, mark the title as proposed. */
export function titleOfWhatRan(outcome: CameOf | null, proposed: string): string {
  if (outcome === null) return proposed;
  if (outcome.title != null) return outcome.title;
  return outcome.changed.length > 0 ? t("{title} (as proposed)", { title: proposed }) : proposed;
}

const MAX_CHANGES = 2;

/** "amount was 32.4" */
export function changesWords(changed: readonly Change[]): string {
  if (changed.length > MAX_CHANGES) return t("{n} values were changed", { n: changed.length });
  return changed.map(({ path, before }) => t("{what} was {value}", { what: labelPath(path), value: plain(before) })).join(", ");
}

export function outcomeWords(outcome: CameOf): string {
  const { state, error } = outcome;
  const why = error ? messageText(outcome, error) : "";
  switch (state) {
    case "ran":
      return t("done");
    case "failed":
      return why === "" ? t("failed") : t("failed: {why}", { why });
    case "not_run":
      return why === "" ? t("did not run") : t("did not run: {why}", { why });
    case "unclear":
      return t("unclear: it may or may not have run");
    case "running":
      return t("running…");
    case "not_yet":
      return t("not run yet");
    case "not_used":
      return t("not used");
  }
}
