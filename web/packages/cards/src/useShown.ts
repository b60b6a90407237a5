// Tells that something was shown: in view for a moment, on a page that is itself in sight.
import { useEffect, useRef } from "react";
import type { MutableRef } from "./focus.ts";

/** What is scrolled past in less was not shown. */
export const MOMENT_MILLISECONDS = 800;

/** Call `whenShown` once the element has been in view; again, when the page comes back into sight or `of` is another. */
export function useShown<T extends HTMLElement>(of: string, whenShown: () => void): MutableRef<T> {
  const ref = useRef<T>(null);
  const latest = useRef(whenShown);
  latest.current = whenShown;

  useEffect(() => {
    if (ref.current === null) return;
    const canLook = typeof IntersectionObserver !== "undefined";
    let isInView = !canLook;
    let timer: ReturnType<typeof setTimeout> | undefined;
    function look(): void {
      clearTimeout(timer);
      if (isInView && document.visibilityState === "visible") timer = setTimeout(() => latest.current(), MOMENT_MILLISECONDS);
    }
    const observer = canLook
      ? new IntersectionObserver((changes) => {
          isInView = changes.at(-1)?.isIntersecting ?? false;
          look();
        })
      : null;
    observer?.observe(ref.current);
    document.addEventListener("visibilitychange", look);
    look();
    return () => {
      clearTimeout(timer);
      observer?.disconnect();
      document.removeEventListener("visibilitychange", look);
    };
  }, [of]);

  return ref;
}
