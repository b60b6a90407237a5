// The live connection of one chat: it reconnects, fetches what was missed by cursor, and resends what a person sent,
// with the same key, until the server acknowledges it.
import type { Answer } from "./actions.ts";
import { createAnswerKeys } from "./answerKeys.ts";
import type { OpenSocket, Scheduler, Socket } from "./ports.ts";
import { Problem, unreachable } from "./problem.ts";
import type { ChatStore } from "./store.ts";
import { t } from "./text.ts";
import { MalformedFrame, readFrame, type ServerFrame } from "./wire/read.ts";
import type { JsonObject, JsonValue } from "./wire/types.ts";

export interface NewMessage {
  content: string;
  /** The same id sent again is the same message. */
  client_message_id: string;
  mode?: "queue" | "supersede";
  context?: JsonObject;
}

export type ClientFrame =
  | { type: "message"; data: NewMessage }
  | { type: "answer"; data: { interaction_id: string; key: string; body: Answer } }
  | { type: "dismiss"; data: { interaction_id: string; reason?: string } }
  | { type: "extend"; data: { interaction_id: string; seconds: number } }
  | { type: "cancel"; data: { reason?: string } }
  | { type: "draft"; data: { interaction_id: string; content: JsonObject } };

export interface ChatClientOptions {
  chatId: string;
  store: ChatStore;
  scheduler: Scheduler;
  open: OpenSocket;
  /** Called when a connection could not be opened; rejects with a 4xx Problem if retrying is pointless. */
  probe?: () => Promise<unknown>;
}

export type ChatClient = ReturnType<typeof createChatClient>;

/** Milliseconds before the first reconnect, and the maximum. */
const FIRST_RETRY = 250;
const LONGEST_RETRY = 15_000;
/** A connection that lasted this long was stable: the next loss starts counting from zero. */
const GOOD_AFTER = 5_000;
/** If nothing comes back after a send, the connection is dead even though no close event arrived. */
const DEAD_AFTER = 10_000;

interface Waiting {
  frame: ClientFrame;
  resolve: (result: JsonValue) => void;
  reject: (problem: Problem) => void;
}

export function createChatClient({ chatId, store, scheduler, open, probe }: ChatClientOptions) {
  let socket: Socket | null = null;
  let isOpen = false;
  let attempt = 0;
  let lostSince: number | null = null;
  let everOpened = false;
  let closed = false;
  let gapsInARow = 0;
  let fromTheStart = false;
  let nextRef = 1;
  let retry: (() => void) | null = null;
  let watchdog: (() => void) | null = null;
  let settleDown: (() => void) | null = null;
  const outbox = new Map<string, Waiting>();
  const keys = createAnswerKeys(scheduler.uuid);

  function connect() {
    retry?.();
    retry = null;
    const mine = open(path());
    socket = mine;
    everOpened = false;
    mine.onopen = () => {
      if (mine !== socket) return;
      isOpen = everOpened = true;
      lostSince = null;
      store.connection({ state: "live" });
      settleDown = scheduler.after(GOOD_AFTER, () => void (attempt = 0));
      for (const [ref, { frame }] of outbox) transmit(ref, frame);
    };
    mine.onmessage = (text) => {
      if (mine === socket) receive(text);
    };
    mine.onclose = () => {
      if (mine === socket) lost();
    };
  }

  function path(): string {
    const cursor = fromTheStart ? null : store.cursor();
    fromTheStart = false;
    const after = cursor === null ? "" : `?after=${encodeURIComponent(`${cursor.logId}:${cursor.seq}`)}`;
    return `/api/chats/${encodeURIComponent(chatId)}/live${after}`;
  }

  function receive(text: string) {
    watchdog?.();
    watchdog = null;
    let frame: ServerFrame;
    try {
      frame = readFrame(text);
      if (frame.is === "ok" || frame.is === "problem") return acknowledged(frame);
      if (frame.is !== "sync" && store.apply(frame) === "applied") {
        gapsInARow = 0;
        return;
      }
    } catch (error) {
      if (!(error instanceof MalformedFrame || error instanceof SyntaxError)) throw error;
      return end(unreadable(error.message));
    }
    // Reconnect from the cursor. If the same gap comes back, only a full snapshot helps.
    gapsInARow += 1;
    fromTheStart = frame.is !== "sync" && gapsInARow > 1;
    drop();
    if (gapsInARow > 3) lost();
    else connect();
  }

  function acknowledged(frame: Extract<ServerFrame, { is: "ok" | "problem" }>) {
    const waiting = outbox.get(frame.ref);
    outbox.delete(frame.ref);
    if (frame.is === "ok") waiting?.resolve(frame.result);
    else waiting?.reject(new Problem(frame.problem));
  }

  function send(frame: ClientFrame): Promise<JsonValue> {
    if (closed) return Promise.reject(unreachable(t("This chat is closed here.")));
    if (!isOpen && !maySendTwice(frame)) return Promise.reject(unreachable());
    const ref = String(nextRef++);
    return new Promise((resolve, reject) => {
      outbox.set(ref, { frame, resolve, reject });
      if (isOpen) transmit(ref, frame);
      else wake();
    });
  }

  function transmit(ref: string, frame: ClientFrame) {
    socket?.send(JSON.stringify({ ref, ...frame }));
    watchdog ??= scheduler.after(DEAD_AFTER, () => {
      watchdog = null;
      drop();
      lost();
    });
  }

  /** Drop the socket and ignore whatever it still delivers. */
  function drop() {
    const old = socket;
    socket = null;
    isOpen = false;
    watchdog?.();
    settleDown?.();
    watchdog = settleDown = null;
    old?.close();
  }

  function lost() {
    const refused = !everOpened;
    drop();
    for (const [ref, { frame, reject }] of [...outbox]) {
      if (maySendTwice(frame)) continue;
      outbox.delete(ref);
      reject(unreachable(t("The connection was lost before the server answered.")));
    }
    attempt += 1;
    lostSince ??= scheduler.now();
    store.connection({ state: "lost", since: lostSince, attempt });
    const longest = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (attempt - 1));
    // Jitter, so that not all clients reconnect to a restarted server at once.
    retry = scheduler.after(longest * (0.5 + scheduler.random() / 2), connect);
    if (refused) probe?.().catch((error: unknown) => {
      if (error instanceof Problem && error.document.status >= 400 && error.document.status < 500) end(error);
    });
  }

  function end(problem?: Problem) {
    if (closed) return;
    closed = true;
    retry?.();
    drop();
    for (const { reject } of outbox.values()) reject(problem ?? unreachable(t("This chat is closed here.")));
    outbox.clear();
    store.connection(problem === undefined ? { state: "closed" } : { state: "closed", problem });
  }

  /** Reconnect now: the device is back online, or the person has returned to the page. */
  function wake() {
    if (retry !== null) connect();
  }

  connect();

  return {
    message: (message: NewMessage) => send({ type: "message", data: message }),

    /** Resolves when the server has stored it. Sending the same body again reuses the key. */
    async answer(interactionId: string, body: Answer): Promise<JsonValue> {
      const key = keys.keyFor(interactionId, body);
      try {
        const data = { interaction_id: interactionId, key, body };
        const outcome = await send({ type: "answer", data });
        keys.forget(interactionId);
        return outcome;
      } catch (error) {
        // It was refused and never stored, so the next answer is a new one.
        if (error instanceof Problem && error.document.status !== 0) keys.forget(interactionId);
        throw error;
      }
    },

    dismiss: (interactionId: string, reason?: string) =>
      send({ type: "dismiss", data: { interaction_id: interactionId, ...(reason ? { reason } : {}) } }),

    extend: (interactionId: string, seconds: number) =>
      send({ type: "extend", data: { interaction_id: interactionId, seconds } }),

    cancel: (reason?: string) => send({ type: "cancel", data: reason ? { reason } : {} }),

    /** Share with this person's other devices. Resolves to whether the server has it; the caller may retry. */
    async draft(interactionId: string, content: JsonObject): Promise<boolean> {
      try {
        await send({ type: "draft", data: { interaction_id: interactionId, content } });
        return true;
      } catch {
        return false;
      }
    },

    wake,
    close: (): void => end(),
  };
}

/** Whether this frame is idempotent: by key, by id, or because it ends something. */
function maySendTwice(frame: ClientFrame): boolean {
  return frame.type === "answer" || frame.type === "message" || frame.type === "dismiss";
}

function unreadable(what: string): Problem {
  return new Problem({
    type: "about:blank",
    title: t("This page does not understand the server"),
    status: 0,
    code: "protocol",
    detail: t("Unexpected response of the server ({what}).", { what }),
    fix: t("Reload the page; it may be older than the server."),
  });
}
