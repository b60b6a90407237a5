// The browser behind core's ports: time, sockets and fetch, all to one server.
import { createApi, type HintSource, type OpenSocket, type Scheduler, type Socket } from "@sayso/core";

export interface ConnectOptions {
  /** The server's address; by default the one that the page came from. */
  server?: string | undefined;
  /** Who is asking, where no cookie says so: a token, or how to get one now. */
  token?: string | (() => string | Promise<string>) | undefined;
}

let asked: ConnectOptions = {};

/** Says which server is asked from now on, and as whom. */
export function connect(options: ConnectOptions): void {
  asked = { ...asked, ...options };
}

const addressOf = (path: string) => (asked.server === undefined ? path : new URL(path, asked.server).href);

async function tokenNow(): Promise<string | undefined> {
  return typeof asked.token === "function" ? asked.token() : asked.token;
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
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
    // A hidden page draws nothing, yet its title and its announcements go on.
    if (document.hidden) return scheduler.after(100, run);
    const request = requestAnimationFrame(run);
    return () => cancelAnimationFrame(request);
  },
  random: () => Math.random(),
  uuid: randomId,
};

export const api = createApi({ fetch: ask, uuid: randomId });

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
    // A browser sets no headers on a WebSocket, so the token travels as a subprotocol.
    real = token === undefined ? new WebSocket(address) : new WebSocket(address, ["sayso", `sayso.token.${token}`]);
    real.onopen = () => socket.onopen?.();
    real.onmessage = ({ data }: MessageEvent<string>) => socket.onmessage?.(data);
    real.onclose = () => socket.onclose?.();
  };
  if (typeof asked.token === "function") tokenNow().then(open, () => socket.onclose?.());
  else open(asked.token);
  return socket;
};

/**
 * One stream of hints for all tabs: a browser allows a server only six connections over HTTP/1.1, and each stream holds
 * one for good. The tab that has the lock listens and tells the others; when it goes, the next one does.
 */
export function openHints(): HintSource {
  // An EventSource carries no token.
  if (asked.token !== undefined) return readHints((signal) => ask("/api/stream", { signal }));
  if (!("locks" in navigator) || !("BroadcastChannel" in globalThis)) return new EventSource(addressOf("/api/stream")) as HintSource;
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
      const events = new EventSource(addressOf("/api/stream"));
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

/** Server-sent events over fetch, opened again after a while whenever they end. */
function readHints(open: (signal: AbortSignal) => Promise<Response>): HintSource {
  const gone = new AbortController();
  const heard: ((event: { data: string }) => void)[] = [];
  const source: HintSource = {
    onopen: null,
    addEventListener: (_, hear) => void heard.push(hear),
    close: () => gone.abort(),
  };
  const listen = async () => {
    const answer = await open(gone.signal);
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
        if (/^event: ?chat.changed$/m.test(event)) for (const hear of heard) hear({ data: data.join("\n") });
      }
    }
  };
  const again = () => {
    if (gone.signal.aborted) return;
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
