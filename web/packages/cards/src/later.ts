// What a part of a card needs and comes in a file of its own: drawn when it is there, asked for until then.
import { keepAsking, type Later } from "@sayso/core";
import { useEffect, useReducer, useState } from "react";

export type Loaded<T> = { is: "there"; it: T } | { is: "coming" } | { is: "failed"; again: () => void };

/** Loads it where it is drawn; what is there already is there at once. */
export function useLater<T>(what: Later<T>): Loaded<T> {
  const [, drawAgain] = useReducer((n: number, _: void) => n + 1, 0);
  const [presses, setPresses] = useState(0);
  const [failed, setFailed] = useState(false);
  const there = what.now();

  useEffect(() => {
    // What came between this drawing and now is drawn, too.
    if (there !== undefined) return undefined;
    setFailed(false);
    return keepAsking(what, { there: () => drawAgain(undefined), failed: () => setFailed(true) });
  }, [what, presses]);

  if (there !== undefined) return { is: "there", it: there };
  return failed ? { is: "failed", again: () => setPresses((n) => n + 1) } : { is: "coming" };
}
