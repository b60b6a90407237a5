// The progress of a run: its stages in words, and a bar if there is a number.
import { t } from "@sayso/core";
import type { ProgressView } from "./wire.ts";

const GLYPH = { done: "✓", current: "●", todo: "○" } as const;

export function Progress({ progress, label = t("Progress") }: { progress: ProgressView; label?: string }) {
  const stages = progress.stages ?? [];
  const done = stages.filter((stage) => stage.state === "done").length;
  const fraction = progress.fraction ?? null;
  return (
    <div className="sy-progress">
      {fraction !== null && (
        <p className="sy-bar">
          <progress aria-label={label} max={1} value={fraction} />
          <span>{Math.round(fraction * 100)} %</span>
        </p>
      )}
      {stages.length > 0 && (
        <>
          <p className="sy-quiet">{t("{done} of {all} done", { done, all: stages.length })}</p>
          <ol className="sy-stages">
            {stages.map((stage) => (
              <li key={stage.id} data-stage={stage.state} {...(stage.state === "current" ? { "aria-current": "step" as const } : {})}>
                <span className="sy-dot" aria-hidden="true">{GLYPH[stage.state]}</span>
                <span>{stage.label}<span className="sy-hidden">, {stageWords(stage.state)}</span></span>
              </li>
            ))}
          </ol>
        </>
      )}
      {progress.note ? <p className="sy-quiet" dir="auto">{progress.note}</p> : null}
    </div>
  );
}

function stageWords(state: keyof typeof GLYPH): string {
  switch (state) {
    case "done":
      return t("done");
    case "current":
      return t("now");
    case "todo":
      return t("to do");
  }
}
