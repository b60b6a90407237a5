// The current state of one chat. Frames may come at any rate; components are notified once per animation frame.
import { apply, mergePage, overlay } from "./fold.ts";
import type { Scheduler } from "./ports.ts";
import type { Problem } from "./problem.ts";
import type { ServerFrame } from "./wire/read.ts";
import type { ChatEvent, ChatView, JsonObject } from "./wire/types.ts";

export type Connection =
  | { state: "connecting" }
  | { state: "live" }
  /** `since` is when it was lost; `attempt` counts the tries to reconnect. */
  | { state: "lost"; since: number; attempt: number }
  /** Nothing more will come; `problem` says why, unless it was closed on purpose. */
  | { state: "closed"; problem?: Problem };

export interface ChatState {
  /** Null until the first snapshot. */
  view: ChatView | null;
  connection: Connection;
  /** What this person typed into open cards on other devices, by interaction. */
  drafts: Readonly<Record<string, JsonObject>>;
}

/** The last log position known here. */
export interface Cursor {
  logId: string;
  seq: number;
}

/** `gap`: something is missing before this frame, so connect again with the cursor. */
export type Applied = "applied" | "gap";

export type ChatStore = ReturnType<typeof createChatStore>;

export function createChatStore(scheduler: Pick<Scheduler, "frame">) {
  let current: ChatState = { view: null, connection: { state: "connecting" }, drafts: {} };
  let published = current;
  let cursor: Cursor | null = null;
  let publishing: (() => void) | null = null;
  const listeners = new Set<() => void>();
  const pagesOnTheirWay = new Set<ChatEvent[]>();

  function publish() {
    publishing = null;
    published = current;
    for (const notify of [...listeners]) notify();
  }

  function set(next: Partial<ChatState>) {
    current = { ...current, ...next };
    publishing ??= scheduler.frame(publish);
  }

  function applyEvent(view: ChatView, known: Cursor, event: ChatEvent): Applied {
    if (event.seq <= known.seq) return "applied";
    if (event.seq > known.seq + 1) return "gap";
    // Fold first: a malformed event throws, and must not count as seen.
    set({ view: apply(view, event) });
    cursor = { ...known, seq: event.seq };
    for (const page of pagesOnTheirWay) page.push(event);
    return "applied";
  }

  return {
    getSnapshot: (): ChatState => published,

    subscribe(notify: () => void): () => void {
      listeners.add(notify);
      return () => void listeners.delete(notify);
    },

    cursor: (): Cursor | null => cursor,

    apply(frame: ServerFrame): Applied {
      if (frame.is === "snapshot") {
        cursor = { logId: frame.view.log_id, seq: frame.view.seq };
        pagesOnTheirWay.clear();
        set({ view: frame.view });
        return "applied";
      }
      const { view } = current;
      if (view === null || cursor === null) return "gap";
      switch (frame.is) {
        case "event":
          return applyEvent(view, cursor, frame.event);
        case "unknown":
          if (frame.seq > cursor.seq + 1) return "gap";
          cursor = { ...cursor, seq: Math.max(cursor.seq, frame.seq) };
          return "applied";
        case "delta":
        case "live": {
          const drawn = overlay(view, frame.is === "delta" ? frame.delta : frame.live);
          if (drawn === null) return "gap";
          if (drawn !== view) set({ view: drawn });
          return "applied";
        }
        case "draft":
          set({ drafts: { ...current.drafts, [frame.interaction_id]: frame.content } });
          return "applied";
        default:
          return "applied";
      }
    },

    /** Call when requesting an older page, then `merge` the response; a new snapshot cancels it. */
    expectPage() {
      const since: ChatEvent[] = [];
      pagesOnTheirWay.add(since);
      const before = current.view?.before;
      return {
        merge(page: ChatView): void {
          const expected = pagesOnTheirWay.delete(since);
          const { view } = current;
          if (!expected || view === null || view.before !== before || view.log_id !== page.log_id) return;
          set({ view: mergePage(view, page, since) });
        },
        forget: (): void => void pagesOnTheirWay.delete(since),
      };
    },

    connection: (connection: Connection): void => set({ connection }),

    /** Cancel pending notifications, for when nobody is looking any more. */
    dispose(): void {
      publishing?.();
      publishing = null;
      listeners.clear();
    },
  };
}
