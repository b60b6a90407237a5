// Times in the reader's locale and zone.
import { locales, t } from "@sayso/core";

/** "14:21" today, "21 Nov, 14:21" on another day, with the year when it is another one. */
export function clock(at: string, now: Date): string {
  const then = new Date(at);
  if (Number.isNaN(then.getTime())) return at;
  if (then.toDateString() === now.toDateString()) return timeOfDay(then);
  const year: Intl.DateTimeFormatOptions = then.getFullYear() === now.getFullYear() ? {} : { year: "numeric" };
  // Where a day has 24 hours, "numeric" would say 9:05 and everybody there writes 09:05.
  const { hour12 } = new Intl.DateTimeFormat(locales(), { hour: "numeric" }).resolvedOptions();
  const time: Intl.DateTimeFormatOptions = { hour: hour12 ? "numeric" : "2-digit", minute: "2-digit" };
  return then.toLocaleString(locales(), { day: "numeric", month: "short", ...year, ...time });
}

/** "09:05", "9:05 AM". */
export function timeOfDay(then: Date): string {
  return then.toLocaleTimeString(locales(), { timeStyle: "short" });
}

/** "2 days", "3 h 5 min", "12 min", "less than a minute"; empty when the time is over. */
export function span(milliseconds: number): string {
  if (milliseconds <= 0) return "";
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return t("less than a minute");
  if (minutes < 60) return t("{minutes} min", { minutes });
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? t("{hours} h", { hours }) : t("{hours} h {minutes} min", { hours, minutes: minutes % 60 });
  return t("{days} days", { days: Math.floor(hours / 24) });
}

/** "21 ms", "1.4 s", "3 min": how long something took. */
export function took(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000);
  if (milliseconds < 1000) return t("{n} ms", { n: milliseconds });
  if (milliseconds < 60_000) return t("{n} s", { n: toOneDecimal(milliseconds / 1000) });
  return span(milliseconds);
}

function toOneDecimal(n: number): string {
  return n.toLocaleString(locales(), { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}
