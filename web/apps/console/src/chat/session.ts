// One open chat: its store, its live connection and its actions.
import {
  type ArtifactItem,
  type CardAction,
  cardMetaOf,
  type ChatState,
  type ChatView,
  createChatClient,
  createChatStore,
  isPending,
  type MessageItem,
  type NewMessage,
  type ToolCallItem,
  uiToolOf,
} from "@sayso/core";
import { useEffect, useState, useSyncExternalStore } from "react";
import { api, openSocket, scheduler } from "../browser.ts";
import { removeDraft, saveDraft, readUnsyncedDraft, markDraftSynced } from "../draftStorage.ts";
import { createNotes } from "../toolUi/notes.ts";

/** The pause in typing after which a draft is shared with other devices. */
const DRAFT_PAUSE_MILLISECONDS = 600;

export type ChatSession = ReturnType<typeof openChat>;

export function openChat(chatId: string) {
  const store = createChatStore(scheduler);
  const client = createChatClient({
    chatId,
    store,
    scheduler,
    open: openSocket,
    // A refused socket gives no reason; the same chat over HTTP does.
    probe: () => api.chat(chatId, { limit: 1 }),
  });
  const notes = createNotes();
  const answeredHere = new Set<string>();
  const draftTimers = new Map<string, ReturnType<typeof setTimeout>>();
  let wasLive = false;
  let loadingOlder = false;

  /** Share a card's draft, if the server does not have it yet. */
  async function tellDraft(interactionId: string): Promise<void> {
    clearTimeout(draftTimers.get(interactionId));
    draftTimers.delete(interactionId);
    const content = readUnsyncedDraft(`interaction:${interactionId}`);
    if (content === undefined) return;
    if (await client.draft(interactionId, content)) markDraftSynced(`interaction:${interactionId}`, content);
  }

  function tellDrafts(): void {
    for (const interactionId of [...draftTimers.keys()]) void tellDraft(interactionId);
  }

  function forgetDraft(interactionId: string): void {
    clearTimeout(draftTimers.get(interactionId));
    draftTimers.delete(interactionId);
    removeDraft(`interaction:${interactionId}`);
  }

  // Share drafts typed offline once the connection is back.
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
    /** Cards answered on this page; their settlement is not announced here. */
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
          // From the deadline on the screen, so that two people asking at once do not add up.
          await api.extend(id, action.seconds, cardMetaOf(uiToolOf(message)?.payload ?? {}).expires_at ?? undefined);
          return;
        case "retry":
          await api.retry(action.tool_call_id, action.arguments);
          return;
        case "retry_run":
          await api.retryRun(action.run_id);
          return;
      }
    },

    draft(interactionId: string, content: Parameters<typeof saveDraft>[1]): void {
      saveDraft(`interaction:${interactionId}`, content);
      clearTimeout(draftTimers.get(interactionId));
      const timer = setTimeout(() => void tellDraft(interactionId), DRAFT_PAUSE_MILLISECONDS);
      draftTimers.set(interactionId, timer);
    },

    notes,

    /** Send words, with what open apps have noted for the agent. */
    async say(words: NewMessage): Promise<unknown> {
      const context = notes.context();
      const sent = await client.message(context === undefined ? words : { ...words, context });
      notes.clear();
      return sent;
    },

    withdraw: (messageId: string) => api.withdraw(chatId, messageId),

    /** Load the previous page; false if there is none or one is loading. */
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

    /** Without the usual pause, since the person is leaving. */
    tellDrafts,

    close(): void {
      tellDrafts();
      client.close();
      store.dispose();
    },
  };
}

/** Open a chat for the lifetime of a view; use the chat's id as the view's key. */
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

export type LogEntry = MessageItem | ToolCallItem | ArtifactItem;

/** Return what the log shows, in order of creation. All results of a chat come at once: an older one has its place on its page. */
export function entriesOf({ messages, tool_calls, artifacts, before }: Pick<ChatView, "messages" | "tool_calls" | "artifacts" | "before">): LogEntry[] {
  const results = artifacts.filter(({ sequence }) => before == null || sequence >= before);
  return [...messages, ...tool_calls, ...results].sort((a, b) => a.sequence - b.sequence);
}

export function pendingOf(messages: readonly MessageItem[]): MessageItem[] {
  return messages.filter(isPending);
}

export function isRunOpen(status: string | undefined): boolean {
  return status === "ready" || status === "running" || status === "waiting";
}
