// A plain tool call: one collapsible row with its name, arguments, status and result.
import { messageText, t } from "@sayso/core";
import { BeforeAfter } from "./parts/Changes.tsx";
import { Pair, Value, Values } from "./parts/Values.tsx";
import { isObject } from "./state.ts";
import { took } from "./time.ts";
import type { ToolCall } from "./wire.ts";
import { labelOf, plain, same } from "./words.ts";

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

/** `isHeld`: what was approved can still be taken back. */
export function ToolRow({ call, isHeld = false }: { call: ToolCall; isHeld?: boolean }) {
  const ran = call.ran_seconds ?? null;
  return (
    <details className="sy-tool" data-tone={TONE[call.status]} data-status={call.status}>
      <summary>
        <span className="sy-tool-name">{call.name}</span>{" "}
        <span>{isHeld ? t("approved, not begun") : callWords(call.status)}{ran !== null && ` · ${took(ran)}`}{call.rule && ` · ${ruleWords(call.rule)}`}</span>
      </summary>
      <div className="sy-record">
        <h4>{t("Arguments")}</h4>
        {Object.keys(call.arguments).length === 0 ? <p className="sy-none">{t("none")}</p> : <Arguments call={call} />}
        {call.error ? (
          <>
            <h4>{t("Error")}</h4>
            <p className="sy-text" dir="auto">{messageText(call, call.error)}</p>
          </>
        ) : null}
        {call.result !== undefined && call.result !== null && (
          <>
            <h4>{t("Result")}</h4>
            {isObject(call.result) ? <Values values={call.result} /> : <Value value={call.result} />}
          </>
        )}
      </div>
    </details>
  );
}

function ruleWords({ by, conditions }: NonNullable<ToolCall["rule"]>): string {
  return [t("by a rule from {who}", { who: by }), plain(conditions)].filter(Boolean).join(": ");
}

/** The arguments that ran; where a person changed them, beside the proposed ones. */
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

function callWords(status: ToolCall["status"]): string {
  switch (status) {
    case "running":
      return t("running…");
    case "waiting":
      return t("waits for an answer");
    case "done":
      return t("done");
    case "failed":
      return t("failed");
    case "rejected":
      return t("rejected");
    case "denied":
      return t("not allowed by policy");
    case "uncertain":
      return t("may or may not have run");
    case "not_executed":
      return t("could not be carried out");
    case "cancelled":
      return t("cancelled");
  }
}
