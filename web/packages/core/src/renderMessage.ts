// Fills a catalogue's pattern as `sayso/core/messages.py` does: both are held to tests/vectors/said.json.
import type { JsonObject, JsonValue } from "./wire/types.ts";

/** `{name}`, `{names, or}`, `{at, time}`, `{n, plural, one {# row} other {# rows}}`. */
const PLACE = /\{(\w+)(?:, plural, one \{([^{}]*)\} other \{([^{}]*)\}|, (\w+))?\}/g;

/** What stands between the entries of a list that "and" or "or" does not join. */
const BETWEEN: Record<string, Record<string, string>> = {
  en: { comma: ", ", items: "; ", spaced: " " },
  "zh-Hans": { comma: "、", items: "；", spaced: " " },
};
const QUOTES: Record<string, [string, string]> = { en: ["'", "'"], "zh-Hans": ["“", "”"] };

export type Say = (code: string, params: JsonObject) => string | undefined;

/** Says a code in this language; undefined where its catalogue does not know the code or a parameter is missing. */
export function renderer(catalogue: Record<string, string>, tag: string): Say {
  return function say(code, params) {
    const pattern = catalogue[code];
    if (pattern === undefined) return undefined;
    let isWhole = true;
    const text = pattern.replace(PLACE, (_, name: string, one?: string, other?: string, form?: string) => {
      const value = params[name];
      if (value === undefined) isWhole = false;
      if (other !== undefined) return (value === 1 && tag === "en" ? (one ?? "") : other).replaceAll("#", textOf(value));
      return formed(value, form);
    });
    return isWhole ? text : undefined;

    function formed(value: JsonValue | undefined, form: string | undefined): string {
      if (form === "time") return `${String(value).slice(0, 10)} ${String(value).slice(11, 16)} UTC`;
      const [open, close] = (form === "quoted" ? QUOTES[tag] : undefined) ?? ["", ""];
      const texts = (Array.isArray(value) ? value : [value]).map((each) => `${open}${textOf(each)}${close}`);
      const text = joined(texts, form);
      return form === "capital" ? text.charAt(0).toUpperCase() + text.slice(1) : text;
    }

    function joined(texts: string[], form = "and"): string {
      const between = BETWEEN[tag]?.[form];
      if (between !== undefined) return texts.join(between);
      const type = form === "or" || form === "quoted" ? "disjunction" : "conjunction";
      return new Intl.ListFormat(tag, { type }).format(texts);
    }

    function textOf(value: JsonValue | undefined): string {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return String(value);
      const { code, params, text } = value;
      const said = typeof code === "string" ? say(code, (params ?? {}) as JsonObject) : undefined;
      return said ?? String(text ?? "");
    }
  };
}
