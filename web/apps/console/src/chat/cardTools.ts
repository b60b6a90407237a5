// The callbacks of a chat's cards: send, keep drafts, go to what is beside the chat.
import type { MessageItem, SendCardAction } from "@sayso/core";
import { useCallback, useMemo, useRef } from "react";
import { scheduler } from "../browser.ts";
import { readUnsyncedDraft, readDraft } from "../draftStorage.ts";
import { compose } from "./Composer.tsx";
import type { CardTools } from "./LogItem.tsx";
import type { ChatSession } from "./session.ts";

/** Leave out `openSide` if there is no side panel. Returns a stable object, so that settled cards do not render again. */
export function useCardTools(
  session: ChatSession,
  me: string | undefined,
  composer: { current: HTMLTextAreaElement | null },
  openSide?: () => void,
): CardTools {
  const open = useRef(openSide);
  open.current = openSide;
  const hasSide = openSide !== undefined;
  const goTo = useCallback((id: string) => {
    open.current?.();
    // After the panel has rendered.
    setTimeout(() => document.getElementById(id)?.focus());
  }, []);
  return useMemo((): CardTools => {
    const sendFor =
      (message: MessageItem): SendCardAction =>
      async (action) => {
        if (action.type === "compose") compose(composer.current, action.text);
        else await session.sendCard(message, action);
      };
    return {
      me,
      sendFor,
      draftOf: (interactionId, elsewhere) =>
        readUnsyncedDraft(`interaction:${interactionId}`) ?? elsewhere ?? readDraft(`interaction:${interactionId}`),
      notes: session.notes,
      say: (content) => session.say({ content, client_message_id: scheduler.uuid() }),
      withdraw: (message) => session.withdraw(message.event_id),
      // What is being written stays, after what comes back.
      edit: (words) => compose(composer.current, [words, composer.current?.value ?? ""].filter((text) => text.trim() !== "").join("\n")),
      onDraft: (interactionId, draft) => session.draft(interactionId, draft),
      ...(hasSide
        ? {
            openArtifact: (artifactId: string) => goTo(`artifact-${artifactId}`),
            goBeside: (message: MessageItem) => goTo(`card-${message.event_id}`),
          }
        : {}),
    };
  }, [session, me, hasSide]);
}
