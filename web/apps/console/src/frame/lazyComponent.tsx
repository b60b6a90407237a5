// A lazily loaded component: shows a skeleton while it loads and, after a failure,
// retries by itself and offers a button.
import { retryUntilLoaded, lazy, t } from "@sayso/core";
import { type ComponentType, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { announce } from "./announce.tsx";

/** Rendered like the component itself; `preload` loads it in advance. */
export type LazyComponent<P> = ComponentType<P> & { preload: () => Promise<void> };

/** Picks the component from the module. */
type Pick<M, P> = (file: M) => ComponentType<P>;
type Phase = "loading" | "ready" | "failed";

/** A whole view: `lazyPage(() => import("./Inbox.tsx"), (file) => file.Inbox)`. */
export function lazyPage<M, P extends object>(
  get: () => Promise<M>,
  pick: Pick<M, P>,
  waiting: ReactNode = <PageSkeleton />,
): LazyComponent<P> {
  return lazyComponent(get, pick, waiting, (retry) => (
    <div className="page narrow">
      <h2 tabIndex={-1}>{t("This part of the page could not be loaded.")}</h2>
      <p>{t("What you wrote is kept. Check your connection, then try again.")}</p>
      {retry}
    </div>
  ));
}

/** A part of a view. */
export function lazyPart<M, P extends object>(get: () => Promise<M>, pick: Pick<M, P>, waiting: ReactNode = null): LazyComponent<P> {
  return lazyComponent(get, pick, waiting, (retry) => (
    <div className="notice">
      <p tabIndex={-1}>{t("This part of the page could not be loaded.")}</p>
      {retry}
    </div>
  ));
}

function lazyComponent<M, P extends object>(
  get: () => Promise<M>,
  pick: Pick<M, P>,
  waiting: ReactNode,
  failed: (retry: ReactNode) => ReactNode,
): LazyComponent<P> {
  const file = lazy(get);

  function LazyComponent(props: P) {
    const [phase, setPhase] = useState<Phase>(file.now() === undefined ? "loading" : "ready");
    const [presses, setPresses] = useState(0);
    const place = useRef<HTMLDivElement>(null);
    const hadFocus = useRef(false);

    function go(next: Phase) {
      // Move the focus along instead of dropping it onto the page.
      hadFocus.current = place.current?.contains(document.activeElement) ?? false;
      setPhase(next);
    }

    useEffect(() => {
      if (phase === "ready") return undefined;
      go("loading");
      return retryUntilLoaded(file, {
        loaded: () => go("ready"),
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
    // After a release the old files are gone: then only a reload helps.
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
  return Object.assign(LazyComponent, { preload: () => file.load().then(() => undefined) });
}

/** The skeleton of a page; its heading can take the focus. */
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

/** The skeleton of a chat, in its final layout. */
export function ChatSkeleton() {
  return (
    <div className="chat" data-side="none">
      <div className="chat-main">
        <header className="top">
          <div className="top-words">
            <h2 tabIndex={-1}>{t("Loading…")}</h2>
            <p className="quiet" />
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
