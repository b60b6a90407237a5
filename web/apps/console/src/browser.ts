// The browser behind core's ports: time, sockets, fetch, and a small store for unsent words.
import { createApi, type HintSource, type OpenSocket, type Scheduler, type Socket } from "@sayso/core";

export const scheduler: Scheduler = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  frame(run) {
    // A hidden page draws nothing, yet its title and its announcements go on.
    if (document.hidden) return scheduler.after(100, run);
    const request = requestAnimationFrame(run);
    return () => cancelAnimationFrame(request);
  },
  random: () => Math.random(),
  uuid: randomId,
};

export const api = createApi({ fetch: (path, init) => fetch(path, init), uuid: randomId });

export const openSocket: OpenSocket = (path) => {
  const address = new URL(path, location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  const real = new WebSocket(address);
  const socket: Socket = {
    onopen: null,
    onmessage: null,
    onclose: null,
    send: (text) => real.send(text),
    close: () => real.close(),
  };
  real.onopen = () => socket.onopen?.();
  real.onmessage = ({ data }: MessageEvent<string>) => socket.onmessage?.(data);
  real.onclose = () => socket.onclose?.();
  return socket;
};

/**
 * One stream of hints for all tabs: a browser allows a server only six connections over HTTP/1.1, and each stream holds
 * one for good. The tab that has the lock listens and tells the others; when it goes, the next one does.
 */
export function openHints(): HintSource {
  if (!("locks" in navigator) || !("BroadcastChannel" in globalThis)) return new EventSource("/api/stream") as HintSource;
  const others = new BroadcastChannel("sayso:hints");
  const gone = new AbortController();
  const heard: ((event: { data: string }) => void)[] = [];
  const source: HintSource = {
    onopen: null,
    addEventListener: (_, hear) => void heard.push(hear),
    close() {
      gone.abort();
      others.close();
    },
  };
  const pass = (told: string | null) => {
    if (told === null) source.onopen?.();
    else for (const hear of heard) hear({ data: told });
  };
  const tell = (told: string | null) => {
    pass(told);
    others.postMessage(told);
  };
  others.onmessage = ({ data }: MessageEvent<string | null>) => pass(data);
  const listen = () =>
    new Promise<void>((done) => {
      const events = new EventSource("/api/stream");
      events.onopen = () => tell(null);
      events.addEventListener("chat.changed", (event: MessageEvent<string>) => tell(event.data));
      gone.signal.addEventListener("abort", () => {
        events.close();
        done();
      });
    });
  // Rejects when this tab goes before its turn.
  navigator.locks.request("sayso:hints", { signal: gone.signal }, listen).catch(() => undefined);
  return source;
}

/** `crypto.randomUUID` is missing on plain http beyond loopback, so the bytes are shaped here. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
