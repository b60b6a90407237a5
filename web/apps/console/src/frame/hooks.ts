// Small hooks that several views share.
import { Problem } from "@sayso/core";
import { useEffect, useState, useSyncExternalStore } from "react";
import { unknownProblem } from "../words.ts";

/** Return the current time, updated at an interval; the same Date in between, for memoised components. */
export function useNow(everyMilliseconds: number): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), everyMilliseconds);
    return () => clearInterval(timer);
  }, [everyMilliseconds]);
  return now;
}

/** Whether this media query holds now. */
export function useMedia(query: string): boolean {
  const media = typeof matchMedia === "function" ? matchMedia(query) : null;
  return useSyncExternalStore(
    (notify) => {
      media?.addEventListener("change", notify);
      return () => media?.removeEventListener("change", notify);
    },
    () => media?.matches ?? false,
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** Build the page title, prefixed by how many things wait. */
export function pageTitle(name: string, waiting: number): string {
  return `${waiting > 0 ? `(${waiting}) ` : ""}${name} · Sayso`;
}

/** Turn any thrown value into a title and a detail for people. */
export function describeError(error: unknown): { title: string; detail: string } {
  if (error instanceof Problem) return { title: error.title, detail: [error.detail, error.fix].filter(Boolean).join(" ") };
  return { title: unknownProblem(), detail: error instanceof Error ? error.message : "" };
}
