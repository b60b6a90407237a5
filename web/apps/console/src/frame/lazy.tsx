// A part of the page that is loaded when it is first shown: a skeleton until it is here, and when it did not come, it is
// asked for again, by itself and by a button.
import { keepAsking, later, t } from "@sayso/core";
import { type ComponentType, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { announce } from "./announce.tsx";

/** Drawn like the part itself; `preload` fetches it before it is shown. */
export type Lazy<P> = ComponentType<P> & { preload: () => Promise<void> };

/** Which of a file's components it is. */
type Pick<M, P> = (file: M) => ComponentType<P>;
type Phase = "loading" | "ready" | "failed";

/** A view of its own: `lazyPage(() => import("./Inbox.tsx"), (file) => file.Inbox)` is drawn like the view itself. */
export function lazyPage<M, P extends object>(
  get: () => Promise<M>,
  pick: Pick<M, P>,
  waiting: ReactNode = <PageSkeleton />,
): Lazy<P> {
  return lazy(get, pick, waiting, (retry) => (
    <div className="page narrow">
      <h2 tabIndex={-1}>{t("This part of the page could not be loaded.")}</h2>
      <p>{t("What you wrote is kept. Check your connection, then try again.")}</p>
      {retry}
    </div>
  ));
}

/** Something inside a view. */
export function lazyPart<M, P extends object>(get: () => Promise<M>, pick: Pick<M, P>, waiting: ReactNode = null): Lazy<P> {
  return lazy(get, pick, waiting, (retry) => (
    <div className="notice">
      <p tabIndex={-1}>{t("This part of the page could not be loaded.")}</p>
      {retry}
    </div>
  ));
}

function lazy<M, P extends object>(
  get: () => Promise<M>,
  pick: Pick<M, P>,
  waiting: ReactNode,
  failed: (retry: ReactNode) => ReactNode,
): Lazy<P> {
  const file = later(get);

  function Lazy(props: P) {
    const [phase, setPhase] = useState<Phase>(file.now() === undefined ? "loading" : "ready");
    const [presses, setPresses] = useState(0);
    const place = useRef<HTMLDivElement>(null);
    const hadFocus = useRef(false);

    function go(next: Phase) {
      // Whoever stood here is taken along, not dropped onto the page.
      hadFocus.current = place.current?.contains(document.activeElement) ?? false;
      setPhase(next);
    }

    useEffect(() => {
      if (phase === "ready") return undefined;
      go("loading");
      return keepAsking(file, {
        there: () => go("ready"),
        failed: () => {
          go("failed");
          announce(t("This part of the page could not be loaded."), "assertive");
        },
      });
    }, [presses]);

    useLayoutEffect(() => {
      if (!hadFocus.current) return;
      hadFocus.current = false;
      const here = place.current ?? document.querySelector("main");
      here?.querySelector<HTMLElement>(":is(h2, p)[tabindex]")?.focus({ preventScroll: true });
    }, [phase]);

    const loaded = file.now();
    if (phase === "ready" && loaded !== undefined) {
      const Part = pick(loaded);
      return <Part {...props} />;
    }
    // A new release has other files: then only a reload helps.
    const isPressedInVain = presses > 0;
    const retry = (
      <button
        type="button"
        className="button"
        onClick={() => (isPressedInVain ? location.reload() : setPresses(1))}
      >
        {isPressedInVain ? t("Reload the page") : t("Try again")}
      </button>
    );
    return <div ref={place}>{phase === "failed" ? failed(retry) : waiting}</div>;
  }
  return Object.assign(Lazy, { preload: () => file.load().then(() => undefined) });
}

/** A page that is on its way: its heading takes the focus, and lines stand where its words will. */
function PageSkeleton() {
  return (
    <div className="page on-its-way">
      <h2 tabIndex={-1}>{t("Loading…")}</h2>
      <div className="skeleton" aria-hidden="true">
        <i />
        <i className="tall" />
        <i className="tall" />
      </div>
    </div>
  );
}

/** A chat on its way, in the very shape it will have. */
export function ChatSkeleton() {
  return (
    <div className="chat" data-side="none">
      <div className="chat-main">
        <header className="top">
          <div className="top-words">
            <h2 tabIndex={-1}>{t("Loading…")}</h2>
          </div>
        </header>
        <LogSkeleton />
      </div>
    </div>
  );
}

export function LogSkeleton() {
  return (
    <div className="log-frame">
      <div className="log-inner skeleton" aria-hidden="true">
        <i className="short" />
        <i />
        <i />
        <i className="tall" />
      </div>
    </div>
  );
}
