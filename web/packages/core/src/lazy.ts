// Code split into its own file: loaded early or on demand, kept once loaded, and retried after a failure.

export interface Lazy<T> {
  /** What was loaded; undefined until then. */
  now: () => T | undefined;
  load: () => Promise<T>;
}

/** The first few outlast a server restart or a train tunnel; the last one repeats. */
const PAUSES_MILLISECONDS = [1000, 2000, 4000, 8000, 16_000, 30_000];

/** `lazy(() => import("./Inbox.tsx"))` */
export function lazy<T>(get: () => Promise<T>): Lazy<T> {
  let value: T | undefined;
  let loading: Promise<T> | undefined;
  let failures = 0;
  return {
    now: () => value,
    load() {
      loading ??= get().catch(retryUnderNewUrl).then(
        (loaded) => (value = loaded),
        (reason: unknown) => {
          loading = undefined;
          throw reason;
        },
      );
      return loading;
    },
  };

  /** Chromium (up to at least 150) never requests a failed module again, but does so under another URL. */
  function retryUnderNewUrl(reason: unknown): Promise<T> {
    const lost = addressIn(reason);
    if (lost === undefined) throw reason;
    failures += 1;
    return import(/* @vite-ignore */ `${lost}?again=${failures}`) as Promise<T>;
  }
}

/** Retry until it is loaded. `failed` is called once, after the first failure. Returns a function that stops the retries. */
export function retryUntilLoaded<T>(what: Pick<Lazy<T>, "load">, on: { loaded: (value: T) => void; failed: () => void }): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  function attempt(failures: number) {
    what.load().then(
      (value) => isStopped || on.loaded(value),
      () => {
        if (isStopped) return;
        if (failures === 0) on.failed();
        timer = setTimeout(() => attempt(failures + 1), PAUSES_MILLISECONDS[failures] ?? PAUSES_MILLISECONDS.at(-1));
      },
    );
  }
  attempt(0);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Return the URL that could not be fetched, if the browser names it. */
function addressIn(reason: unknown): string | undefined {
  return reason instanceof Error ? /https?:\/\/\S+\.js/.exec(reason.message)?.[0] : undefined;
}
