// What the cards of one chat may do: send, keep what is typed, and lead to what stands beside the chat.
import type { MessageItem, SendCardAction } from "@sayso/core";
import { useCallback, useMemo, useRef } from "react";
import { unsaid, unsent } from "../unsent.ts";
import { compose } from "./Composer.tsx";
import type { CardTools } from "./LogItem.tsx";
import type { ChatSession } from "./session.ts";

/** `openSide` is left out where nothing stands beside the chat. The same object for as long as the chat is open, so that settled ones stay as drawn. */
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
    // Once the panel is drawn.
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
        unsaid(`interaction:${interactionId}`) ?? elsewhere ?? unsent(`interaction:${interactionId}`),
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
