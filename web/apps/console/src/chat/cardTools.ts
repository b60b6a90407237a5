// The callbacks of a chat's cards: send, keep drafts, go to what is beside the chat.
import type { MessageItem, SendCardAction } from "@sayso/core";
import { useMemo } from "react";
import { scheduler } from "../browser.ts";
import { readUnsyncedDraft, readDraft } from "../draftStorage.ts";
import { compose } from "./Composer.tsx";
import type { CardTools } from "./LogItem.tsx";
import type { ChatSession } from "./session.ts";

/**
 * `openResult` and `goBeside` lead to an element of the panel by its id. Without `goBeside` every card is drawn in the log.
 * They are stable, and so is what is returned: settled cards do not render again.
 */
export function useCardTools(
  session: ChatSession,
  me: string | undefined,
  composer: { current: HTMLTextAreaElement | null },
  openResult: (id: string) => void,
  goBeside?: (id: string) => void,
): CardTools {
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
      openArtifact: (artifactId) => openResult(`artifact-${artifactId}`),
      goBeside: goBeside && ((message) => goBeside(`card-${message.event_id}`)),
    };
  }, [session, me, openResult, goBeside]);
}
