// A settled card in a line or two: what was decided, by whom and when, and its outcome. The rest is behind Details.
// Decision and outcome are two facts: where something could run, the glyph shows the outcome.
import { asksToAct, endingOf, messageText, t } from "@sayso/core";
import type { MutableRef } from "./focus.ts";
import { Changes } from "./parts/Changes.tsx";
import { outcomeWords, outcomeSign, titleOfWhatRan, changesWords } from "./outcome.ts";
import { Values } from "./parts/Values.tsx";
import { HeadingId } from "./naming.ts";
import { type ReactElement, useContext, useState } from "react";
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
  /** What was typed and never sent is kept for its author. */
  draft: JsonObject;
  /** It was typed on this page, not restored from elsewhere. */
  wasTyped?: boolean | undefined;
  now: Date;
  me?: string | undefined;
  lineRef?: MutableRef<HTMLElement>;
  compose: (text: string) => void;
  /** What the card rests on; fetched when the receipt is opened. */
  evidence?: ReactElement;
}

export function Receipt({ tool, meta, outcome, answer, load, draft, wasTyped, now, me, lineRef, compose, evidence }: ReceiptProps) {
  const headingId = useContext(HeadingId);
  const effect = tool.outcome ?? null;
  const [glyph, tone] = outcomeSign(outcome.status, effect, asksToAct(tool));
  const unsent = isAnswered(outcome) && !isSomeoneElses(outcome, me, wasTyped === true) ? "" : unsentText(draft);
  // A notice is done while somebody reads it: what it said stays.
  const isNotice = tool.payload["is_notice"] === true;
  const isShownHere = isNotice && outcome.answer !== undefined;
  const [isOpened, setOpened] = useState(false);
  const [given, open] = useAnswer(answer, load === undefined || !isAnswered(outcome) ? undefined : () => load(tool.event_id));
  return (
    <div className="sy-receipt" data-tone={tone}>
      <details open={isShownHere} onToggle={(event) => event.currentTarget.open && (setOpened(true), open())}>
        <summary {...(lineRef === undefined ? {} : { ref: lineRef })}>
          <span className="sy-line" id={headingId}>
            <span className="sy-glyph" aria-hidden="true">{glyph}</span>{" "}
            <bdi><Line tool={tool} outcome={outcome} now={now} me={me} /></bdi>
          </span>
          <span className="sy-more">{t("Details")}</span>
        </summary>
        <div className="sy-record">
          {effect?.error ? <p className="sy-text" dir="auto">{messageText(effect, effect.error)}</p> : null}
          {!isNotice && <Given given={given} again={open} payload={tool.payload} />}
          <h4>{t("What was shown")}</h4>
          {meta.card === "requirements" ? (
            <Values values={knownValues(tool.payload)} />
          ) : (
            <Values values={shownValues(tool.payload)} named />
          )}
          {isOpened && evidence}
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
          <button type="button" className="sy-link" onClick={() => compose(unsent)}>{t("Use in message")}</button>
        </div>
      )}
    </div>
  );
}

function isAnswered({ status }: Outcome): boolean {
  return status === "completed" || status === "rejected";
}

/** Whether someone else answered, or this person on another page while typing here. */
function isSomeoneElses({ answer, by }: Outcome, me: string | undefined, wasTyped: boolean): boolean {
  return answer === undefined && (wasTyped || (by !== undefined && me !== undefined && by !== me));
}

type Asked = { is: "no" } | { is: "asked" } | { is: "failed" } | { is: "there"; answer: AnswerGiven | null };

/** The answer: already known to the page, or fetched when the receipt is opened. */
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

/** "Refund €5.00 for order 1005 · amount was 32.4 · approved by you · done · 14:21" */
function Line({ tool, outcome, now, me }: Pick<ReceiptProps, "tool" | "outcome" | "now" | "me">) {
  const effect = tool.outcome ?? null;
  const { name, words, saysWho } = endingOf(tool, outcome.by === undefined ? undefined : { who: outcome.by, isMe: outcome.by === me });
  // If nobody approved it, the decision says it all.
  const isTold = effect !== null && !(effect.state === "not_run" && outcome.status !== "completed");
  const by = saysWho || outcome.by === undefined ? "" : byWhom(outcome.by, outcome.by === me, outcome.status === "completed" ? "answered" : "");
  const at = (isTold ? effect.at : null) ?? outcome.at;
  const was = isTold ? changesWords(effect.changed) : "";
  return (
    <>
      <b>{titleOfWhatRan(effect, name)}</b>{was === "" ? " " : ` · ${was} · `}{words}
      {by !== "" && ` · ${by}`}
      {isTold && ` · ${outcomeWords(effect)}`}
      {at != null && <> · <time dateTime={at}>{clock(at, now)}</time></>}
    </>
  );
}

function byWhom(who: string, isMe: boolean, verb: "answered" | ""): string {
  if (verb === "answered") return isMe ? t("answered by you") : t("answered by {who}", { who });
  return isMe ? t("by you") : t("by {who}", { who });
}

function Answered({ answer, payload }: { answer: AnswerGiven; payload: JsonObject }) {
  const { edits, ...rest } = answer.response_data ?? {};
  const before = isObject(payload.tool_params) ? payload.tool_params : {};
  const changes: Change[] = Object.entries(edits ?? {}).map(([path, after]) => ({
    path,
    before: before[path] ?? null,
    after,
  }));
  const answered: JsonObject = Object.fromEntries(Object.entries(rest as JsonObject).filter(([, value]) => !isEmpty(value)));
  if (answer.user_message != null) answered[answer.approved ? "note" : "reason"] = messageText(answer, answer.user_message);
  if (Object.keys(answered).length === 0 && changes.length === 0) return null;
  return (
    <>
      <h4>{t("What was answered")}</h4>
      <Values values={answered} named />
      <Changes heading={t("Changed")} changes={changes} />
    </>
  );
}

const NOT_VALUES = new Set([
  ...["sayso", "title", "agent_message", "response_schema", "edit_schema", "approval_options", "requires_reason"],
  ...["final_confirmation", "allow_notes", "is_notice", "agent_acts", "submit_label", "columns", "may_be_remembered", "rows_argument", "attachments"],
]);

/** Return the card's values, without display hints and duplicates. */
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

/** Return each value with its source, as the open card showed it. */
function knownValues({ known }: JsonObject): JsonObject {
  const rows = (Array.isArray(known) ? known : []) as unknown as KnownValue[];
  return Object.fromEntries(
    rows.map((row) => [row.label, `${messageText(row, row.text)} (${originWords(row)})`]),
  );
}

function isEmpty(value: JsonObject[string] | undefined): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Keep only text: a choice is quickly made again. */
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
