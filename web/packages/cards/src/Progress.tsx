// The progress of a run: its stages in words, and a bar if there is a number.
import { t } from "@sayso/core";
import type { ProgressView } from "./wire.ts";

const GLYPH = { done: "✓", current: "●", stopped: "■", todo: "" } as const;

interface Props {
  progress: ProgressView;
  label?: string;
  /** What the run does at its current stage; one that has stopped has nothing under way. */
  run?: "works" | "waits" | "stopped";
}

export function Progress({ progress, label = t("Progress"), run = "works" }: Props) {
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
            {stages.map(({ id, label, state }) => {
              const now = state === "current" && run === "stopped" ? "stopped" : state;
              return (
                <li key={id} data-stage={now} {...(now === "current" ? { "aria-current": "step" as const } : {})}>
                  <span className="sy-dot" aria-hidden="true">{GLYPH[now]}</span>
                  <span>
                    {label}
                    {now !== "stopped" && <span className="sy-hidden">, {stageWords(now)}</span>}
                    {now === "stopped" && <span className="sy-quiet">{t("stopped here")}</span>}
                    {now === "current" && run === "waits" && <span className="sy-quiet">{t("waits for you")}</span>}
                  </span>
                </li>
              );
            })}
          </ol>
        </>
      )}
      {progress.note ? <p className="sy-quiet" dir="auto">{progress.note}</p> : null}
    </div>
  );
}

function stageWords(state: "done" | "current" | "todo"): string {
  switch (state) {
    case "done":
      return t("done");
    case "current":
      return t("now");
    case "todo":
      return t("to do");
  }
}
