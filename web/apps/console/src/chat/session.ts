// One open chat: its store, its live connection, and what a person can do in it.
import {
  type CardAction,
  cardMetaOf,
  type ChatState,
  createChatClient,
  createChatStore,
  isPending,
  type MessageItem,
  type ToolCallItem,
  uiToolOf,
} from "@sayso/core";
import { useEffect, useState, useSyncExternalStore } from "react";
import { api, openSocket, scheduler } from "../browser.ts";
import { forgetUnsent, keepUnsent, unsaid, wasTold } from "../unsent.ts";

/** A pause in typing after which other devices are told. */
const DRAFT_PAUSE_MILLISECONDS = 600;

export type ChatSession = ReturnType<typeof openChat>;

export function openChat(chatId: string) {
  const store = createChatStore(scheduler);
  const client = createChatClient({
    chatId,
    store,
    scheduler,
    open: openSocket,
    // A socket that is refused does not say why; the same chat over plain HTTP does.
    probe: () => api.chat(chatId, { limit: 1 }),
  });
  const answeredHere = new Set<string>();
  const draftTimers = new Map<string, ReturnType<typeof setTimeout>>();
  let wasLive = false;
  let loadingOlder = false;

  /** Tells what was typed into a card and the server does not have, if there is any. */
  async function tellDraft(interactionId: string): Promise<void> {
    clearTimeout(draftTimers.get(interactionId));
    draftTimers.delete(interactionId);
    const content = unsaid(`interaction:${interactionId}`);
    if (content === undefined) return;
    if (await client.draft(interactionId, content)) wasTold(`interaction:${interactionId}`, content);
  }

  function tellDrafts(): void {
    for (const interactionId of [...draftTimers.keys()]) void tellDraft(interactionId);
  }

  function forgetDraft(interactionId: string): void {
    clearTimeout(draftTimers.get(interactionId));
    draftTimers.delete(interactionId);
    forgetUnsent(`interaction:${interactionId}`);
  }

  // What was typed while there was no connection is told when there is one.
  store.subscribe(() => {
    const { connection, view } = store.getSnapshot();
    const isLive = connection.state === "live" && view !== null;
    if (isLive && !wasLive) for (const { event_id } of pendingOf(view.messages)) void tellDraft(event_id);
    wasLive = isLive;
  });

  return {
    chatId,
    store,
    client,
    /** What was answered on this page is not announced to the one who answered. */
    answeredHere: answeredHere as ReadonlySet<string>,

    async sendCard(message: MessageItem, action: Exclude<CardAction, { type: "compose" }>): Promise<void> {
      const id = message.event_id;
      switch (action.type) {
        case "answer":
          answeredHere.add(id);
          await client.answer(id, action.body);
          return forgetDraft(id);
        case "dismiss":
          answeredHere.add(id);
          await client.dismiss(id, action.reason);
          return;
        case "extend":
          // From the time that was on the screen, so that two people do not add up.
          await api.extend(id, action.seconds, cardMetaOf(uiToolOf(message)?.payload ?? {}).expires_at ?? undefined);
          return;
        case "retry":
          await api.retry(action.tool_call_id, action.arguments);
          return;
      }
    },

    draft(interactionId: string, content: Parameters<typeof keepUnsent>[1]): void {
      keepUnsent(`interaction:${interactionId}`, content);
      clearTimeout(draftTimers.get(interactionId));
      const timer = setTimeout(() => void tellDraft(interactionId), DRAFT_PAUSE_MILLISECONDS);
      draftTimers.set(interactionId, timer);
    },

    /** Loads the page before; false when there is none or one is on its way. */
    async loadOlder(): Promise<boolean> {
      const before = store.getSnapshot().view?.before;
      if (loadingOlder || before == null) return false;
      loadingOlder = true;
      const page = store.expectPage();
      try {
        page.merge(await api.chat(chatId, { before }));
        return true;
      } finally {
        page.forget();
        loadingOlder = false;
      }
    },

    /** No pause: the reader is leaving. */
    tellDrafts,

    close(): void {
      tellDrafts();
      client.close();
      store.dispose();
    },
  };
}

/** The session of a chat for as long as its view stands; give the view the chat's id as its key. */
export function useChat(chatId: string): ChatSession {
  const [session] = useState(() => openChat(chatId));
  useEffect(() => {
    const wake = () => session.client.wake();
    const seen = () => (document.hidden ? session.tellDrafts() : wake());
    addEventListener("online", wake);
    document.addEventListener("visibilitychange", seen);
    return () => {
      removeEventListener("online", wake);
      document.removeEventListener("visibilitychange", seen);
      session.close();
    };
  }, [session]);
  return session;
}

export function useChatState(session: ChatSession): ChatState {
  return useSyncExternalStore(session.store.subscribe, session.store.getSnapshot);
}

export type LogEntry = MessageItem | ToolCallItem;

/** Messages and tool calls in the order in which they came to be. */
export function entriesOf({ messages, tool_calls }: { messages: MessageItem[]; tool_calls: ToolCallItem[] }): LogEntry[] {
  return [...messages, ...tool_calls].sort((a, b) => a.sequence - b.sequence);
}

export function pendingOf(messages: readonly MessageItem[]): MessageItem[] {
  return messages.filter(isPending);
}

export function isRunOpen(status: string | undefined): boolean {
  return status === "ready" || status === "running" || status === "waiting";
}
