// Small hooks that several views share.
import { Problem } from "@sayso/core";
import { useEffect, useState } from "react";
import { unknownProblem } from "../words.ts";

/** The time, looked at every so often; one Date object in between, so that memoised parts stay. */
export function useNow(everyMilliseconds: number): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), everyMilliseconds);
    return () => clearInterval(timer);
  }, [everyMilliseconds]);
  return now;
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** The page's name, led by how many things wait. */
export function pageTitle(name: string, waiting: number): string {
  return `${waiting > 0 ? `(${waiting}) ` : ""}${name} · Sayso`;
}

/** Whatever was thrown, in words for people. */
export function wordsFor(error: unknown): { title: string; detail: string } {
  if (error instanceof Problem) return { title: error.title, detail: [error.detail, error.fix].filter(Boolean).join(" ") };
  return { title: unknownProblem(), detail: error instanceof Error ? error.message : "" };
}
