// What core needs from its host: time, randomness, sockets.

export interface Scheduler {
  /** Milliseconds since 1970. */
  now(): number;
  /** Run later; the returned function cancels it. */
  after(milliseconds: number, run: () => void): () => void;
  /** Run before the next animation frame; many calls may share one. */
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
