// Formats values and keys for display on a card.
import { locales, t } from "@sayso/core";
import type { CardMeta, JsonValue } from "./wire.ts";

/** "flow_property_id" reads "Flow property id"; a key that already is a phrase stays as it is. */
export function labelOf(key: string): string {
  const words = key.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ").trim();
  return exact(words === "" ? key : words.charAt(0).toUpperCase() + words.slice(1));
}

/** Characters that reorder others (bidi), are invisible or unassigned; but not those of regional flag emoji. */
const UNSEEN =
  /\u{1f3f4}[\u{e0020}-\u{e007f}]+|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Show deceptive characters (invisible or bidi) by their code point. */
export function exact(words: string): string {
  return words.replace(UNSEEN, (found) => {
    const code = found.codePointAt(0) ?? 0;
    return code === 0x1f3f4 ? found : `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
  });
}

/** Format one value on one line, exactly: what is approved is never rounded, grouped or cut. */
export function plain(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return t("none");
  if (value === true) return t("yes");
  if (value === false) return t("no");
  if (value === "") return t("(empty)");
  if (Array.isArray(value)) return value.length === 0 ? t("none") : value.map(plain).join("; ");
  if (typeof value !== "object") return exact(String(value));
  return Object.entries(value).map(([key, inner]) => `${labelOf(key)}: ${plain(inner)}`).join(", ");
}

type Format = NonNullable<CardMeta["formats"]>[string];

/** Format a value as its schema says, in the reader's locale and exactly; what does not fit stays as it is. */
export function formatted(value: JsonValue | undefined, as: Format | undefined): string {
  const { format, currency, unit } = as ?? {};
  try {
    if (typeof value === "number") {
      if (format === "currency") return value.toLocaleString(locales(), { style: "currency", currency: currency ?? "", maximumFractionDigits: 20 });
      if (unit != null) return `${plain(value)} ${unit}`;
    }
    if (typeof value === "string" && (format === "date" || format === "date-time")) return dated(value, format === "date");
  } catch {
    // No such currency, or no such time: as it was written.
  }
  return plain(value);
}

function dated(value: string, isDay: boolean): string {
  const at = new Date(isDay ? `${value}T00:00` : value);
  // A part that would not be shown is never left out.
  if (Number.isNaN(at.getTime()) || at.getMilliseconds() > 0) return plain(value);
  const timeStyle = at.getSeconds() > 0 ? "medium" : "short";
  return at.toLocaleString(locales(), { dateStyle: "medium", ...(isDay ? {} : { timeStyle }) });
}

export function same(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: JsonValue | undefined): string {
  if (value === null || value === undefined || typeof value !== "object") return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  return `{${Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    .join()}}`;
}

/** Return the translated name of a field of a card or an answer (core/cards.py, core/interactions.py), else `labelOf`. */
export function fieldName(key: string): string {
  switch (key) {
    case "message":
      return t("Message");
    case "question":
      return t("Question");
    case "options":
      return t("Options");
    case "tool_name":
      return t("Tool name");
    case "tool_params":
      return t("Tool params");
    case "tool_description":
      return t("Tool description");
    case "entity_type":
      return t("Entity type");
    case "entity_summary":
      return t("Entity summary");
    case "entity_details":
      return t("Entity details");
    case "action":
      return t("Action");
    case "impact":
      return t("Impact");
    case "context":
      return t("Context");
    case "warnings":
      return t("Warnings");
    case "changes":
      return t("Changes");
    case "details":
      return t("Details");
    case "values":
      return t("Values");
    case "rows":
      return t("Rows");
    case "attempt":
      return t("Attempt");
    case "started_at":
      return t("Started at");
    case "selected_option":
      return t("Selected option");
    case "additional_notes":
      return t("Additional notes");
    case "suggestions":
      return t("Suggestions");
    case "approved_rows":
      return t("Approved rows");
    case "rejected_rows":
      return t("Rejected rows");
    case "note":
      return t("Note");
    case "reason":
      return t("Reason");
    case "result":
      return t("Result");
    default:
      return labelOf(key);
  }
}
