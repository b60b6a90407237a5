// A settled card in one line: a glyph, the server's words for how it ended, who and when; what it was is a press away.
import { endingOf, sentenceWords, t, valueWords } from "@sayso/core";
import type { Held } from "./focus.ts";
import { Changes } from "./parts/Changes.tsx";
import { Values } from "./parts/Values.tsx";
import { HeadingId } from "./naming.ts";
import { useContext, useState } from "react";
import type { Outcome } from "./state.ts";
import { clock } from "./time.ts";
import type { AnswerGiven, CardMeta, Change, JsonObject, KnownValue, UiTool } from "./wire.ts";
import { originWords } from "./requirements/origin.ts";
import { isObject } from "./state.ts";
import { fieldName } from "./words.ts";

export interface ReceiptProps {
  tool: UiTool;
  meta: CardMeta;
  outcome: Outcome;
  answer?: AnswerGiven | null | undefined;
  load?: ((interactionId: string) => Promise<AnswerGiven | null>) | undefined;
  /** What was typed and never sent is kept for its writer. */
  draft: JsonObject;
  /** It was typed on this page, and not only brought back to it. */
  wasTyped?: boolean | undefined;
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

export function Receipt({ tool, meta, outcome, answer, load, draft, wasTyped, now, me, lineRef, compose }: ReceiptProps) {
  const headingId = useContext(HeadingId);
  const { name, words } = endingOf(tool);
  const unsent = isAnswered(outcome) && !isSomeoneElses(outcome, me, wasTyped === true) ? "" : unsentText(draft);
  const [given, open] = useAnswer(answer, load === undefined || !isAnswered(outcome) ? undefined : () => load(tool.event_id));
  return (
    <div className="sy-receipt" data-tone={TONE[outcome.status]}>
      <details onToggle={(event) => event.currentTarget.open && open()}>
        <summary {...(lineRef === undefined ? {} : { ref: lineRef })}>
          <span className="sy-line" id={headingId}>
            <span className="sy-glyph" aria-hidden="true">{GLYPH[outcome.status]}</span>{" "}
            <bdi><b>{name}</b> {words}{byAndWhen(outcome, meta, now, me)}</bdi>
          </span>
          <span className="sy-more">{t("Details")}</span>
        </summary>
        <div className="sy-record">
          <Given given={given} again={open} payload={tool.payload} />
          <h4>{t("What was shown")}</h4>
          {meta.card === "requirements" ? (
            <Values values={knownValues(tool.payload)} />
          ) : (
            <Values values={shownValues(tool.payload)} named />
          )}
          {meta.digest != null && (
            <>
              <h4>{t("Record")}</h4>
              <Values values={{ [t("Revision")]: meta.revision ?? 1, [t("Digest")]: meta.digest }} />
            </>
          )}
        </div>
      </details>
      {unsent !== "" && (
        <div className="sy-unsent">
          <p>{t("What you had written was not sent:")}</p>
          <blockquote dir="auto">{unsent}</blockquote>
          <button type="button" className="sy-link" onClick={() => compose(unsent)}>{t("Put it into a message")}</button>
        </div>
      )}
    </div>
  );
}

function isAnswered({ status }: Outcome): boolean {
  return status === "completed" || status === "rejected";
}

/** Somebody else's answer, or one from another page while this one was being typed in. */
function isSomeoneElses({ answer, by }: Outcome, me: string | undefined, wasTyped: boolean): boolean {
  return answer === undefined && (wasTyped || (by !== undefined && me !== undefined && by !== me));
}

type Asked = { is: "no" } | { is: "asked" } | { is: "failed" } | { is: "there"; answer: AnswerGiven | null };

/** What was answered: known to the page, or fetched when the receipt is opened. */
function useAnswer(known: AnswerGiven | null | undefined, load: (() => Promise<AnswerGiven | null>) | undefined): [Asked, () => void] {
  const [asked, setAsked] = useState<Asked>({ is: "no" });
  if (known != null) return [{ is: "there", answer: known }, () => undefined];
  function open(): void {
    if (load === undefined || asked.is === "asked" || asked.is === "there") return;
    setAsked({ is: "asked" });
    load().then(
      (answer) => setAsked({ is: "there", answer }),
      () => setAsked({ is: "failed" }),
    );
  }
  return [asked, open];
}

function Given({ given, again, payload }: { given: Asked; again: () => void; payload: JsonObject }) {
  switch (given.is) {
    case "no":
      return null;
    case "asked":
      return <p className="sy-quiet">{t("Loading…")}</p>;
    case "failed":
      return (
        <p className="sy-quiet">
          {t("What was answered could not be loaded.")}{" "}
          <button type="button" className="sy-link" onClick={again}>{t("Try again")}</button>
        </p>
      );
    case "there":
      return given.answer === null ? null : <Answered answer={given.answer} payload={payload} />;
  }
}

function byAndWhen(outcome: Outcome, meta: CardMeta, now: Date, me: string | undefined) {
  const by = outcome.by === undefined ? "" : byWhom(outcome.by, outcome.by === me, verbOf(outcome, meta));
  return (
    <>
      {by !== "" && ` · ${by}`}
      {outcome.at !== undefined && <> · <time dateTime={outcome.at}>{clock(outcome.at, now)}</time></>}
    </>
  );
}

function byWhom(who: string, isMe: boolean, verb: "approved" | "answered" | ""): string {
  switch (verb) {
    case "approved":
      return isMe ? t("approved by you") : t("approved by {who}", { who });
    case "answered":
      return isMe ? t("answered by you") : t("answered by {who}", { who });
    case "":
      return isMe ? t("by you") : t("by {who}", { who });
  }
}

function verbOf(outcome: Outcome, meta: CardMeta): "approved" | "answered" | "" {
  if (outcome.status !== "completed") return "";
  return meta.card === "approval" || meta.card === "exchanges" || meta.card === "confirmation" || meta.card === "requirements" ? "approved" : "answered";
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
  if (answer.user_message != null) said[answer.approved ? "note" : "reason"] = sentenceWords(answer.user_message);
  if (Object.keys(said).length === 0 && changes.length === 0) return null;
  return (
    <>
      <h4>{t("What was answered")}</h4>
      <Values values={said} named />
      <Changes heading={t("Changed")} changes={changes} />
    </>
  );
}

const NOT_VALUES = new Set([
  ...["sayso", "title", "agent_message", "response_schema", "edit_schema", "approval_options", "requires_reason"],
  ...["final_confirmation", "allow_notes", "agent_acts", "submit_label", "columns", "may_be_remembered", "rows_argument"],
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

/** Each value in words with where it came from, as the open card had it. */
function knownValues({ known, tool_params, edit_schema }: JsonObject): JsonObject {
  const rows = (Array.isArray(known) ? known : []) as unknown as KnownValue[];
  const values = isObject(tool_params) ? tool_params : {};
  const schemas = isObject(edit_schema) && isObject(edit_schema.properties) ? edit_schema.properties : {};
  return Object.fromEntries(
    rows.map((row) => [row.label, `${valueWords(row.text, values[row.field], schemas[row.field])} (${originWords(row)})`]),
  );
}

function isEmpty(value: JsonObject[string] | undefined): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Only what was written: a choice or a decision is made again as quickly. */
const CHOSEN = new Set(["selected_option", "rows", "always_allow"]);

function unsentText(draft: JsonObject): string {
  const lines: string[] = [];
  const collect = (key: string, value: JsonObject[string] | undefined): void => {
    if (typeof value === "string" && value.trim() !== "") lines.push(`${fieldName(key)}: ${value.trim()}`);
    else if (typeof value === "number") lines.push(`${fieldName(key)}: ${value}`);
    else if (isObject(value)) Object.entries(value).forEach(([inner, v]) => collect(inner, v));
    else if (Array.isArray(value) && value.length > 0) lines.push(`${fieldName(key)}: ${value.join(", ")}`);
  };
  Object.entries(draft).forEach(([key, value]) => CHOSEN.has(key) || collect(key, value));
  return lines.join("\n");
}
