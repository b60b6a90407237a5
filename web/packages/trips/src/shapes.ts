// Reads the results of the trips pack from an artifact, which a person may have changed into anything.
import type { JsonValue } from "@sayso/core";

export type Item = { text: string; done: boolean };
export type Category = { name: string; items: Item[] };
export type Day = { title: string; parts: string[]; date?: string };
export type Line = { category: string; amount: number; note: string };

export type Trip =
  | { kind: "trip_checklist"; categories: Category[]; note: string }
  | { kind: "trip_itinerary"; days: Day[]; note: string }
  | { kind: "trip_budget"; currency: string; total: number; lines: Line[]; note: string };

export const TRIP_KINDS = ["trip_checklist", "trip_itinerary", "trip_budget"] as const satisfies readonly Trip["kind"][];

type Fields = { [name: string]: JsonValue };

/** Parse the content, or return null if it has another shape (it is then shown as text). */
export function tripOf(kind: string, content: JsonValue): Trip | null {
  try {
    const { note = "", ...body } = fields(content);
    const common = { note: text(note) };
    if (kind === "trip_checklist") {
      return { kind, ...common, categories: list(body.categories).map((one) => category(fields(one))) };
    }
    if (kind === "trip_itinerary") return { kind, ...common, days: list(body.days).map((one) => day(fields(one))) };
    if (kind !== "trip_budget") return null;
    const lines = list(body.lines).map((one) => line(fields(one)));
    return { kind, ...common, currency: text(body.currency ?? ""), total: amount(body.total), lines };
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** As it is saved. */
export function contentOf({ kind: _, ...content }: Trip): JsonValue {
  return content as unknown as JsonValue;
}

export const sumOf = (lines: readonly Line[]) => lines.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0) / 100;

/** Date the days, starting from the first; without a first date, remove all dates. */
export function dated(days: readonly Day[], first: string): Day[] {
  const start = first === "" ? Number.NaN : Date.parse(`${first}T00:00:00Z`);
  return days.map(({ date: _, ...rest }, number) =>
    Number.isNaN(start) ? rest : { ...rest, date: new Date(start + number * 86_400_000).toISOString().slice(0, 10) },
  );
}

function category(of: Fields): Category {
  const items = list(of.items).map((one) => {
    const item = fields(one);
    return { text: text(item.text), done: item.done === true };
  });
  return { name: text(of.name), items };
}

function day(of: Fields): Day {
  const made: Day = { title: text(of.title), parts: list(of.parts).map(text) };
  return of.date == null ? made : { ...made, date: text(of.date) };
}

const line = (of: Fields): Line => ({ category: text(of.category), amount: amount(of.amount), note: text(of.note ?? "") });

function fields(value: JsonValue | undefined): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new TypeError("not an object");
  return value as Fields;
}

function list(value: JsonValue | undefined): JsonValue[] {
  if (!Array.isArray(value)) throw new TypeError("not a list");
  return value as JsonValue[];
}

function text(value: JsonValue | undefined): string {
  if (typeof value !== "string") throw new TypeError("not a text");
  return value;
}

function amount(value: JsonValue | undefined): number {
  if (typeof value !== "number") throw new TypeError("not a number");
  return value;
}
