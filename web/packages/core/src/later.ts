// Code in a file of its own: asked for early or when it is needed, kept once it is there, asked for again if it failed.

export interface Later<T> {
  /** What was loaded; undefined until then. */
  now: () => T | undefined;
  load: () => Promise<T>;
}

/** A server that is started anew, or a tunnel, is passed within the first of these; the last one is repeated. */
const PAUSES_MILLISECONDS = [1000, 2000, 4000, 8000, 16_000, 30_000];

/** `later(() => import("./Inbox.tsx"))` */
export function later<T>(get: () => Promise<T>): Later<T> {
  let there: T | undefined;
  let coming: Promise<T> | undefined;
  let failures = 0;
  let lost: string | undefined;
  return {
    now: () => there,
    load() {
      // Chromium never asks again for an address that failed once; under another name it does.
      coming ??= (lost === undefined ? get() : (import(/* @vite-ignore */ `${lost}?again=${failures}`) as Promise<T>)).then(
        (loaded) => (there = loaded),
        (reason: unknown) => {
          coming = undefined;
          failures += 1;
          lost ??= addressIn(reason);
          throw reason;
        },
      );
      return coming;
    },
  };
}

/** Asks until it is there: `failed` is told once, however often it is asked for after that. Stops when it is called. */
export function keepAsking<T>(what: Later<T>, on: { there: (it: T) => void; failed: () => void }): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  function ask(failures: number) {
    what.load().then(
      (it) => isStopped || on.there(it),
      () => {
        if (isStopped) return;
        if (failures === 0) on.failed();
        timer = setTimeout(() => ask(failures + 1), PAUSES_MILLISECONDS[failures] ?? PAUSES_MILLISECONDS.at(-1));
      },
    );
  }
  ask(0);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** The address that could not be fetched, where the browser says it. */
function addressIn(reason: unknown): string | undefined {
  return reason instanceof Error ? /https?:\/\/\S+\.js/.exec(reason.message)?.[0] : undefined;
}
