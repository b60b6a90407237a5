// Hints over all chats (`/api/stream`): something changed, so load again what you list.

/** The part of EventSource that is used here; it reconnects by itself. */
export interface HintSource {
  onopen: (() => void) | null;
  addEventListener(type: "chat.changed", hear: (event: { data: string }) => void): void;
  close(): void;
}

/** Call `changed` for every hint, and with null whenever the stream opens, since earlier hints were missed. */
export function listenToHints(source: HintSource, changed: (chatId: string | null) => void): () => void {
  source.onopen = () => changed(null);
  source.addEventListener("chat.changed", ({ data }) => {
    const { chat_id } = JSON.parse(data) as { chat_id?: string };
    changed(chat_id ?? null);
  });
  return () => source.close();
}
