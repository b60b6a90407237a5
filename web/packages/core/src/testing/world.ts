// For tests: time that is moved by hand, and sockets whose other end is the test.
import type { OpenSocket, Scheduler, Socket } from "../ports.ts";
import type { JsonObject, JsonValue } from "../wire/types.ts";

export function fakeScheduler(): Scheduler & { advance(milliseconds: number): void; draw(): void } {
  let now = 0;
  let ids = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  const frames = new Set<() => void>();
  return {
    now: () => now,
    random: () => 1,
    uuid: () => `id-${++ids}`,
    after(milliseconds, run) {
      const timer = { at: now + milliseconds, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    frame(run) {
      frames.add(run);
      return () => void frames.delete(run);
    },
    draw() {
      const due = [...frames];
      frames.clear();
      for (const run of due) run();
    },
    advance(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        const due = [...timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        now = due.at;
        timers.delete(due);
        due.run();
      }
      now = end;
    },
  };
}

/** The server's end of a socket. */
export interface FarEnd {
  path: string;
  /** What the client sent, read. */
  heard: JsonObject[];
  isClosed: boolean;
  accept(): void;
  say(frame: JsonValue): void;
  cut(): void;
}

export function linkedSockets(): { open: OpenSocket; ends: FarEnd[]; last(): FarEnd } {
  const ends: FarEnd[] = [];
  const open: OpenSocket = (path) => {
    const near: Socket = {
      onopen: null,
      onmessage: null,
      onclose: null,
      send(text) {
        if (!far.isClosed) far.heard.push(JSON.parse(text) as JsonObject);
      },
      close() {
        far.isClosed = true;
      },
    };
    const far: FarEnd = {
      path,
      heard: [],
      isClosed: false,
      accept: () => near.onopen?.(),
      say: (frame) => near.onmessage?.(JSON.stringify(frame)),
      cut() {
        far.isClosed = true;
        near.onclose?.();
      },
    };
    ends.push(far);
    return near;
  };
  return {
    open,
    ends,
    last() {
      const end = ends.at(-1);
      if (end === undefined) throw new Error("nobody has connected");
      return end;
    },
  };
}
