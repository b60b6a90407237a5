// Times in the reader's locale and zone.

/** "14:21" today, "21 Nov, 14:21" on another day, with the year when it is another one. */
export function clock(at: string, now: Date): string {
  const then = new Date(at);
  if (Number.isNaN(then.getTime())) return at;
  const time: Intl.DateTimeFormatOptions = { hour: "numeric", minute: "2-digit" };
  if (then.toDateString() === now.toDateString()) return then.toLocaleTimeString(undefined, time);
  const year: Intl.DateTimeFormatOptions = then.getFullYear() === now.getFullYear() ? {} : { year: "numeric" };
  return then.toLocaleString(undefined, { day: "numeric", month: "short", ...year, ...time });
}

/** "2 days", "3 h 5 min", "12 min", "less than a minute"; empty when the time is over. */
export function span(milliseconds: number): string {
  if (milliseconds <= 0) return "";
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** "21 ms", "1.4 s", "3 min": how long something took. */
export function took(from: string, to: string): string {
  const milliseconds = new Date(to).getTime() - new Date(from).getTime();
  if (!(milliseconds >= 0)) return "";
  if (milliseconds < 1000) return `${milliseconds} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return span(milliseconds);
}
