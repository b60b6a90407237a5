// Converts durations between a count with a unit and ISO 8601 (days and below).
import { t } from "@sayso/core";
import type { JsonObject, JsonValue } from "../wire.ts";

export const UNITS = ["weeks", "days", "hours", "minutes"] as const;
export type Unit = (typeof UNITS)[number];

const MINUTES: Record<Unit, number> = { weeks: 10_080, days: 1440, hours: 60, minutes: 1 };
const ISO = /^P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?)?$/;

export function unitWords(unit: Unit): string {
  switch (unit) {
    case "weeks":
      return t("weeks");
    case "days":
      return t("days");
    case "hours":
      return t("hours");
    case "minutes":
      return t("minutes");
  }
}

export function unitOf(value: JsonValue | undefined): Unit {
  return UNITS.find((unit) => unit === value) ?? "days";
}

/** Split a value into count and unit: the largest unit that divides it; weeks only for many days. */
export function durationInput(value: JsonValue | undefined): JsonObject {
  const found = typeof value === "string" && value !== "P" ? ISO.exec(value) : null;
  if (found === null) return { count: "", unit: "days" };
  const minutes = UNITS.reduce((sum, unit, i) => sum + Number(found[i + 1] ?? 0) * MINUTES[unit], 0);
  const unit = UNITS.find((one) => one !== "weeks" && minutes % MINUTES[one] === 0) ?? "minutes";
  return { count: String(minutes / MINUTES[unit]), unit };
}

/** 36 hours are "P1DT12H". */
export function durationOf(count: number, unit: Unit): string {
  const all = count * MINUTES[unit];
  const days = Math.floor(all / MINUTES.days);
  const hours = Math.floor((all % MINUTES.days) / MINUTES.hours);
  const seconds = Math.round((all % MINUTES.hours) * 60);
  const part = (n: number, letter: string) => (n === 0 ? "" : `${n}${letter}`);
  const time = part(hours, "H") + part(Math.floor(seconds / 60), "M") + part(seconds % 60, "S");
  const text = part(days, "D") + (time === "" ? "" : `T${time}`);
  return text === "" ? "PT0S" : `P${text}`;
}
