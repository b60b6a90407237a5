// How values and keys read on a card.
import type { JsonValue } from "./wire.ts";

/** "flow_property_id" reads "Flow property id"; a key that already is a phrase stays as it is. */
export function labelOf(key: string): string {
  const words = key.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ").trim();
  return words === "" ? key : words.charAt(0).toUpperCase() + words.slice(1);
}

/** One value in one line, exact: what is approved is never rounded, grouped or cut. */
export function plain(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "none";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (value === "") return "(empty)";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(plain).join("; ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value).map(([key, inner]) => `${labelOf(key)}: ${plain(inner)}`).join(", ");
}

/** "1 row", "3 rows". */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
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
