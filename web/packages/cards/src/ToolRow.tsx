// An ordinary tool call: one folding row with its name, its arguments, how it went and what it gave.
import { BeforeAfter } from "./parts/Changes.tsx";
import { Pair, Value, Values } from "./parts/Values.tsx";
import { isObject } from "./state.ts";
import { took } from "./time.ts";
import type { ToolCall } from "./wire.ts";
import { labelOf, same } from "./words.ts";

const WORDS: Record<ToolCall["status"], string> = {
  running: "running…",
  waiting: "waits for an answer",
  done: "done",
  failed: "failed",
  rejected: "not approved",
  denied: "not allowed by policy",
  uncertain: "may or may not have run",
  not_executed: "could not be carried out",
  cancelled: "cancelled",
};

const TONE: Record<ToolCall["status"], "calm" | "ok" | "warn" | "bad"> = {
  running: "calm",
  waiting: "calm",
  done: "ok",
  failed: "bad",
  rejected: "calm",
  denied: "bad",
  uncertain: "warn",
  not_executed: "warn",
  cancelled: "calm",
};

export function ToolRow({ call }: { call: ToolCall }) {
  const time = call.finished_at ? took(call.timestamp, call.finished_at) : "";
  return (
    <details className="sy-tool" data-tone={TONE[call.status]} data-status={call.status}>
      <summary>
        <span className="sy-tool-name">{call.name}</span>{" "}
        <span>{WORDS[call.status]}{time !== "" && ` · ${time}`}</span>
      </summary>
      <div className="sy-record">
        <h4>Arguments</h4>
        {Object.keys(call.arguments).length === 0 ? <p className="sy-none">none</p> : <Arguments call={call} />}
        {call.error ? (
          <>
            <h4>Error</h4>
            <p className="sy-text" dir="auto">{call.error}</p>
          </>
        ) : null}
        {call.result !== undefined && call.result !== null && (
          <>
            <h4>Result</h4>
            {isObject(call.result) ? <Values values={call.result} /> : <Value value={call.result} />}
          </>
        )}
      </div>
    </details>
  );
}

/** The arguments that ran, beside those the agent had asked for where a person changed them. */
function Arguments({ call }: { call: ToolCall }) {
  const asked = call.asked_arguments;
  return (
    <dl className="sy-values">
      {Object.entries(call.arguments).map(([key, value]) => (
        <Pair key={key} label={labelOf(key)}>
          {asked && !same(asked[key], value) ? <BeforeAfter before={asked[key]} after={value} /> : <Value value={value} />}
        </Pair>
      ))}
    </dl>
  );
}
