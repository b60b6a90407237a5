// What core needs from the world and does not take by itself: time, chance, sockets.

export interface Scheduler {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs later; the returned function calls it off. */
  after(milliseconds: number, run: () => void): () => void;
  /** Runs before the next picture is drawn; many calls may share one. */
  frame(run: () => void): () => void;
  /** From 0 up to 1. */
  random(): number;
  uuid(): string;
}

/** The part of a WebSocket that the client uses. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((text: string) => void) | null;
  onclose: (() => void) | null;
  send(text: string): void;
  close(): void;
}

export type OpenSocket = (path: string) => Socket;
