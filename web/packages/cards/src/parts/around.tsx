// A sentence with an element in it: where the element stands is the translator's to say.
import type { ReactNode } from "react";

/** Given to `t` as the value that the element takes the place of. */
export const HOLE = "\u0000";

export function around(sentence: string, element: ReactNode): ReactNode {
  const [before, after] = sentence.split(HOLE);
  return <>{before}{element}{after}</>;
}
