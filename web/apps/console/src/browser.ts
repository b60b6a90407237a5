// Implements core's ports with the browser: time, sockets and fetch, all to one server.
import { createApi, type HintSource, type OpenSocket, type Scheduler, type Socket } from "@sayso/core";
import { home } from "./home.ts";

export interface ConnectOptions {
  /** The server's URL; by default the one that the page came from. */
  server?: string | undefined;
  /** An access token, or a function that returns one; not needed with a session cookie. */
  token?: string | (() => string | Promise<string>) | undefined;
}

let options: ConnectOptions = {};

/** Sets the server that all requests go to from now on, and the token they carry. */
export function connect(changed: ConnectOptions): void {
  options = { ...options, ...changed };
}

/** Where `path` is on the server, which may itself be at a path. */
export const addressOf = (path: string) => (options.server ?? home).replace(/\/+$/, "") + path;

async function tokenNow(): Promise<string | undefined> {
  return typeof options.token === "function" ? options.token() : options.token;
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const token = await tokenNow();
  const headers = token === undefined ? init.headers : { ...init.headers, authorization: `Bearer ${token}` };
  return fetch(addressOf(path), { ...init, ...(headers === undefined ? {} : { headers }) });
}

export const scheduler: Scheduler = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  frame(run) {
    // A hidden page gets no animation frames, but its title and announcements still update.
    if (document.hidden) return scheduler.after(100, run);
    const request = requestAnimationFrame(run);
    return () => cancelAnimationFrame(request);
  },
  random: () => Math.random(),
  uuid: randomId,
};

export const api = createApi({ fetch: request, uuid: randomId });

export const openSocket: OpenSocket = (path) => {
  const address = new URL(addressOf(path), location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  let real: WebSocket | null = null;
  let isClosed = false;
  const socket: Socket = {
    onopen: null,
    onmessage: null,
    onclose: null,
    send: (text) => real?.send(text),
    close() {
      isClosed = true;
      real?.close();
    },
  };
  const open = (token: string | undefined) => {
    if (isClosed) return;
    // A browser cannot set headers on a WebSocket, so the token is sent as a subprotocol.
    real = token === undefined ? new WebSocket(address) : new WebSocket(address, ["sayso", `sayso.token.${token}`]);
    real.onopen = () => socket.onopen?.();
    real.onmessage = ({ data }: MessageEvent<string>) => socket.onmessage?.(data);
    real.onclose = () => socket.onclose?.();
  };
  if (typeof options.token === "function") tokenNow().then(open, () => socket.onclose?.());
  else open(options.token);
  return socket;
};

/**
 * One stream of hints for all tabs: over HTTP/1.1 a browser opens only six connections per server, and a stream
 * holds one permanently. The tab with the lock listens and broadcasts; when it closes, the next one takes over.
 */
export function openHints(): HintSource {
  // EventSource cannot send a token.
  if (options.token !== undefined) return readHints((signal) => request("/api/stream", { signal }));
  const address = new URL(addressOf("/api/stream"), location.href).href;
  if (!("locks" in navigator) || !("BroadcastChannel" in globalThis)) return new EventSource(address) as HintSource;
  // The name of the lock, too: another server may share this origin.
  const name = `sayso:hints:${address}`;
  const otherTabs = new BroadcastChannel(name);
  const closed = new AbortController();
  const listeners: ((event: { data: string }) => void)[] = [];
  const source: HintSource = {
    onopen: null,
    addEventListener: (_, listener) => void listeners.push(listener),
    close() {
      closed.abort();
      otherTabs.close();
    },
  };
  const deliver = (hint: string | null) => {
    if (hint === null) source.onopen?.();
    else for (const listener of listeners) listener({ data: hint });
  };
  const broadcast = (hint: string | null) => {
    deliver(hint);
    otherTabs.postMessage(hint);
  };
  otherTabs.onmessage = ({ data }: MessageEvent<string | null>) => deliver(data);
  const listen = () =>
    new Promise<void>((done) => {
      const events = new EventSource(address);
      events.onopen = () => broadcast(null);
      events.addEventListener("chat.changed", (event: MessageEvent<string>) => broadcast(event.data));
      closed.signal.addEventListener("abort", () => {
        events.close();
        done();
      });
    });
  // Rejects if this tab closes before it gets the lock.
  navigator.locks.request(name, { signal: closed.signal }, listen).catch(() => undefined);
  return source;
}

/** Server-sent events over fetch, reopened after a pause whenever they end. */
function readHints(open: (signal: AbortSignal) => Promise<Response>): HintSource {
  const closed = new AbortController();
  const listeners: ((event: { data: string }) => void)[] = [];
  const source: HintSource = {
    onopen: null,
    addEventListener: (_, listener) => void listeners.push(listener),
    close: () => closed.abort(),
  };
  const listen = async () => {
    const answer = await open(closed.signal);
    if (!answer.ok || answer.body === null) return;
    source.onopen?.();
    let text = "";
    for (const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader(); ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      const events = (text + value.replaceAll("\r", "")).split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const data = event.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim());
        if (/^event: ?chat.changed$/m.test(event)) for (const listener of listeners) listener({ data: data.join("\n") });
      }
    }
  };
  const again = () => {
    if (closed.signal.aborted) return;
    void listen().catch(() => undefined).then(() => scheduler.after(2000 + 2000 * scheduler.random(), again));
  };
  again();
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
