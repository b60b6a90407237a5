// Puts an element into a translated sentence; the translator decides where.
import type { ReactNode } from "react";

/** Passed to `t` as the value that the element replaces. */
export const PLACEHOLDER = "\u0000";

export function interpolate(sentence: string, element: ReactNode): ReactNode {
  const [before, after] = sentence.split(PLACEHOLDER);
  return <>{before}{element}{after}</>;
}
