// What a card can ask for. A card hands one of these to `send`, and knows nothing of sockets or chats.
import type { JsonObject } from "./wire/types.ts";

/** What `POST /api/interactions/{id}/response` takes: the normal form of an answer. */
export interface Answer {
  approved: boolean;
  user_message?: string;
  response_data?: {
    selected_option?: string;
    additional_notes?: string;
    suggestions?: string[];
    edits?: JsonObject;
    approved_rows?: string[];
    rejected_rows?: Record<string, string>;
    values?: JsonObject;
  };
  metadata?: { digest?: string; always_allow?: true };
}

export type CardAction =
  | { type: "answer"; body: Answer }
  | { type: "dismiss"; reason?: string }
  | { type: "extend"; seconds: number }
  | { type: "retry"; tool_call_id: string; arguments?: JsonObject }
  /** Let a run go on that failed since its model was not available. */
  | { type: "retry_run"; run_id: string }
  /** Put this text into the composer, for the person to send or change. */
  | { type: "compose"; text: string };

/** Resolves once the server has acknowledged; rejects with a `Problem`. */
export type SendCardAction = (action: CardAction) => Promise<void>;
