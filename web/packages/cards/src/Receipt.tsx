// A settled card in one line: a glyph, the server's words for how it ended, who and when; what it was is a press away.
import type { Held } from "./focus.ts";
import { Changes } from "./parts/Changes.tsx";
import { Values } from "./parts/Values.tsx";
import { HeadingId } from "./naming.ts";
import { useContext } from "react";
import type { Outcome } from "./state.ts";
import { clock } from "./time.ts";
import type { AnswerGiven, CardMeta, Change, JsonObject, UiTool } from "./wire.ts";
import { isObject } from "./state.ts";
import { labelOf } from "./words.ts";

export interface ReceiptProps {
  tool: UiTool;
  meta: CardMeta;
  outcome: Outcome;
  answer?: AnswerGiven | null | undefined;
  /** What was typed and never sent is kept for its writer. */
  draft: JsonObject;
  now: Date;
  me?: string | undefined;
  lineRef?: Held<HTMLElement>;
  compose: (text: string) => void;
}

const GLYPH: Record<Outcome["status"], string> = {
  completed: "✓",
  rejected: "✕",
  dismissed: "–",
  expired: "◷",
  cancelled: "–",
  superseded: "↻",
};

const TONE: Record<Outcome["status"], "ok" | "bad" | "calm"> = {
  completed: "ok",
  rejected: "bad",
  dismissed: "calm",
  expired: "calm",
  cancelled: "calm",
  superseded: "calm",
};

export function Receipt({ tool, meta, outcome, answer, draft, now, me, lineRef, compose }: ReceiptProps) {
  const headingId = useContext(HeadingId);
  const title = receiptTitle(tool, meta);
  // The summary begins with the title; what follows is the server's own word for the end.
  const said = outcome.summary.startsWith(title) ? outcome.summary.slice(title.length).trim() : outcome.summary;
  const words = said === "" ? outcome.status : said;
  const unsent = outcome.status === "completed" || outcome.status === "rejected" ? "" : unsentText(draft);
  return (
    <div className="sy-receipt" data-tone={TONE[outcome.status]}>
      <details>
        <summary {...(lineRef === undefined ? {} : { ref: lineRef })}>
          <span className="sy-line" id={headingId}>
            <span className="sy-glyph" aria-hidden="true">{GLYPH[outcome.status]}</span>{" "}
            <bdi><b>{title}</b> {words}{byAndWhen(outcome, meta, now, me)}</bdi>
          </span>
          <span className="sy-more">Details</span>
        </summary>
        <div className="sy-record">
          {answer != null && <Answered answer={answer} payload={tool.payload} />}
          <h4>What was shown</h4>
          <Values values={shownValues(tool.payload)} />
          {meta.digest != null && (
            <>
              <h4>Record</h4>
              <Values values={{ revision: meta.revision ?? 1, digest: meta.digest }} />
            </>
          )}
        </div>
      </details>
      {unsent !== "" && (
        <div className="sy-unsent">
          <p>What you had written was not sent:</p>
          <blockquote dir="auto">{unsent}</blockquote>
          <button type="button" className="sy-link" onClick={() => compose(unsent)}>Put it into a message</button>
        </div>
      )}
    </div>
  );
}

/** The name the server uses in its summary: an application's own card goes by its ui_tool_id. */
function receiptTitle(tool: UiTool, meta: CardMeta): string {
  const { title } = tool.payload;
  return meta.card !== "ui_tool" && typeof title === "string" && title !== "" ? title : tool.ui_tool_id;
}

function byAndWhen(outcome: Outcome, meta: CardMeta, now: Date, me: string | undefined) {
  const verb = verbOf(outcome, meta);
  const who = outcome.by === undefined ? "" : outcome.by === me ? "you" : outcome.by;
  const by = who === "" ? "" : verb === "" ? `by ${who}` : `${verb} by ${who}`;
  return (
    <>
      {by !== "" && ` · ${by}`}
      {outcome.at !== undefined && <> · <time dateTime={outcome.at}>{clock(outcome.at, now)}</time></>}
    </>
  );
}

function verbOf(outcome: Outcome, meta: CardMeta): string {
  if (outcome.status !== "completed") return "";
  return meta.card === "approval" || meta.card === "exchanges" || meta.card === "confirmation" ? "approved" : "answered";
}

function Answered({ answer, payload }: { answer: AnswerGiven; payload: JsonObject }) {
  const { edits, ...rest } = answer.response_data ?? {};
  const before = isObject(payload.tool_params) ? payload.tool_params : {};
  const changes: Change[] = Object.entries(edits ?? {}).map(([path, after]) => ({
    path,
    before: before[path] ?? null,
    after,
  }));
  const said: JsonObject = Object.fromEntries(Object.entries(rest as JsonObject).filter(([, value]) => !isEmpty(value)));
  if (answer.user_message != null) said[answer.approved ? "note" : "reason"] = answer.user_message;
  if (Object.keys(said).length === 0 && changes.length === 0) return null;
  return (
    <>
      <h4>What was answered</h4>
      <Values values={said} />
      <Changes heading="Changed" changes={changes} />
    </>
  );
}

const NOT_VALUES = new Set([
  ...["sayso", "title", "agent_message", "response_schema", "edit_schema", "approval_options", "requires_reason"],
  ...["final_confirmation", "allow_notes", "agent_acts", "submit_label", "columns"],
]);

/** The card's values without what only told how to draw it, and without saying one thing twice. */
function shownValues(payload: JsonObject): JsonObject {
  const seen = new Set([JSON.stringify(payload.title)]);
  const shown: JsonObject = {};
  for (const [key, value] of Object.entries(payload)) {
    const text = JSON.stringify(value);
    if (NOT_VALUES.has(key) || seen.has(text) || isEmpty(value)) continue;
    seen.add(text);
    shown[key] = value;
  }
  return shown;
}

function isEmpty(value: JsonObject[string] | undefined): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function unsentText(draft: JsonObject): string {
  const lines: string[] = [];
  const collect = (key: string, value: JsonObject[string] | undefined): void => {
    if (typeof value === "string" && value.trim() !== "") lines.push(`${labelOf(key)}: ${value.trim()}`);
    else if (typeof value === "number") lines.push(`${labelOf(key)}: ${value}`);
    else if (isObject(value)) Object.entries(value).forEach(([inner, v]) => collect(inner, v));
    else if (Array.isArray(value) && value.length > 0) lines.push(`${labelOf(key)}: ${value.join(", ")}`);
  };
  Object.entries(draft).forEach(([key, value]) => collect(key, value));
  return lines.join("\n");
}
