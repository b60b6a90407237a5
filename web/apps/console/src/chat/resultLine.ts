// What a result is, in one line: the beginning of a text, or the figures of data.
import { isObject, type JsonObject, type JsonValue, t } from "@sayso/core";
import { labelOf, plain } from "@sayso/cards";
import { excerpt } from "../excerpt.ts";

export function resultLine(content: JsonValue): string {
  const text = textOf(content);
  const parts = text !== null ? linesOf(text) : isObject(content) ? figuresOf(content) : [plain(content)];
  return excerpt(parts).join(" · ");
}

/** Return the text of a string, or of an object with a single text field. */
export function textOf(content: JsonValue): string | null {
  if (typeof content === "string") return content;
  if (!isObject(content)) return null;
  const [key, ...more] = Object.keys(content);
  if (key === undefined || more.length > 0) return null;
  const value = content[key];
  return typeof value === "string" && ["text", "markdown", "content"].includes(key) ? value : null;
}

/** The lines of Markdown without its signs; its headings name parts, and only the title is named here. */
function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  const body = lines.filter((line) => /\p{L}|\p{N}/u.test(line) && !line.startsWith("#"));
  const table = body.filter((line) => line.startsWith("|"));
  const words = (body.length > 0 ? body : lines).filter((line) => !table.includes(line)).map(withoutSigns);
  const [head = "", ...rows] = table;
  const size = table.length === 0 ? [] : [t("{n, plural, one {# row} other {# rows}}", { n: rows.length }), cellsOf(head)];
  return [...words, ...size].filter((line) => line !== "");
}

function cellsOf(row: string): string {
  return row.split("|").map((cell) => cell.trim()).filter((cell) => cell !== "").join(", ");
}

function withoutSigns(line: string): string {
  return line
    .replace(/^(?:[-*+>]|\d+[.)]|#+)\s+/, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`]+/g, "")
    .trim();
}

/** Each value with its name; a list counts. */
function figuresOf(content: JsonObject): string[] {
  return Object.entries(content)
    .filter(([, value]) => value !== null && value !== "" && !isObject(value))
    .map(([name, value]) => `${labelOf(name)} ${Array.isArray(value) ? value.length : plain(value)}`);
}
