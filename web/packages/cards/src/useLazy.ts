// A hook for lazily loaded code: renders again once it is loaded, retries until then.
import { retryUntilLoaded, type Lazy } from "@sayso/core";
import { useEffect, useReducer, useState } from "react";

export type Loaded<T> = { is: "loaded"; value: T } | { is: "loading" } | { is: "failed"; retry: () => void };

/** Load on mount; what is already loaded is returned at once. */
export function useLazy<T>(what: Lazy<T>): Loaded<T> {
  const [, rerender] = useReducer((n: number, _: void) => n + 1, 0);
  const [presses, setPresses] = useState(0);
  const [failed, setFailed] = useState(false);
  const value = what.now();

  useEffect(() => {
    // It may have been loaded between rendering and this effect.
    if (value !== undefined) return undefined;
    setFailed(false);
    return retryUntilLoaded(what, { loaded: () => rerender(undefined), failed: () => setFailed(true) });
  }, [what, presses]);

  if (value !== undefined) return { is: "loaded", value };
  return failed ? { is: "failed", retry: () => setPresses((n) => n + 1) } : { is: "loading" };
}
