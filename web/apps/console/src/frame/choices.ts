// A person's settings for this page. The server stores them for all devices; this browser keeps a copy, so that the
// next page starts right before the server has answered.
import type { JsonObject } from "@sayso/core";
import { useSyncExternalStore } from "react";
import { savePreferences } from "../saving.ts";

export type Theme = "auto" | "light" | "dark";

export interface Choices {
  theme: Theme;
  /** Notify while the page is hidden, if the browser has permission. */
  notifications: boolean;
  /** Enable Alt+Shift+J, and j and k in the inbox. */
  shortcut: boolean;
  /** The saved filters of each list, as JSON. */
  filters: string;
}

type Name = keyof Choices;

/** The keys match public/theme.js and the server's preferences. */
const KEPT: { [N in Name]: { key: string; from: (value: unknown) => Choices[N] } } = {
  theme: { key: "sayso:theme", from: (value) => (value === "light" || value === "dark" ? value : "auto") },
  notifications: { key: "sayso:notifications", from: (value) => value === true || value === "on" },
  shortcut: { key: "sayso:shortcut", from: (value) => value !== false && value !== "off" },
  filters: { key: "sayso:filters", from: (value) => (typeof value === "string" ? value : "{}") },
};

const listeners = new Set<() => void>();
let drawn: Choices | null = null;

/** Read the current settings; read each time, since another tab may have changed them. */
export function choices(): Choices {
  return { theme: kept("theme"), notifications: kept("notifications"), shortcut: kept("shortcut"), filters: kept("filters") };
}

export function useChoices(): Choices {
  return useSyncExternalStore(subscribe, () => {
    const now = choices();
    const isSame = drawn !== null && (Object.keys(now) as Name[]).every((name) => now[name] === drawn?.[name]);
    return isSame ? drawn! : (drawn = now);
  });
}

/** Apply here at once and store for all devices. Rejects if it could not be stored. */
export async function chooseFor<N extends Name>(name: N, value: Choices[N]): Promise<void> {
  keep(name, value);
  await savePreferences({ [name]: value });
}

/** Apply what this person chose on another device. */
export function followChoices(values: JsonObject): void {
  for (const name of Object.keys(KEPT) as Name[]) if (name in values) keep(name, KEPT[name].from(values[name]) as never);
}

function keep<N extends Name>(name: N, value: Choices[N]): void {
  try {
    localStorage.setItem(KEPT[name].key, typeof value === "boolean" ? (value ? "on" : "off") : String(value));
  } catch {
    // No local storage: it applies to this page, and the server has it.
  }
  if (name === "theme") apply(value as Theme);
  for (const notify of [...listeners]) notify();
}

function kept<N extends Name>(name: N): Choices[N] {
  try {
    return KEPT[name].from(localStorage.getItem(KEPT[name].key));
  } catch {
    return KEPT[name].from(null);
  }
}

function apply(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "auto") delete dataset["theme"];
  else dataset["theme"] = theme;
}

function subscribe(notify: () => void): () => void {
  const elsewhere = () => {
    apply(kept("theme"));
    notify();
  };
  listeners.add(notify);
  addEventListener("storage", elsewhere);
  return () => {
    listeners.delete(notify);
    removeEventListener("storage", elsewhere);
  };
}
