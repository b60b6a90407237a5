// What an embedded chat is made of: the console's own log and composer, without the rooms around them.
export { AskedChoices } from "./AskedChoices.tsx";
export { Known } from "./Known.tsx";
export { Badge } from "../frame/Badge.tsx";
export { useCardTools } from "./cardTools.ts";
export { CancelButton } from "./ChatHeader.tsx";
export { freeQuestion } from "./ChatPage.tsx";
export { Log } from "./Log.tsx";
export { LogSkeleton } from "../frame/lazy.tsx";
export { Composer, type Words } from "./Composer.tsx";
export { Starters } from "./Starters.tsx";
export { ConnectionBanner } from "./ConnectionBanner.tsx";
export { begunHere } from "./begun.ts";
export { isRunOpen, pendingOf, useChat, useChatState } from "./session.ts";
export { useOutOfSight } from "./useOutOfSight.ts";
export { useAnnouncements, useLostConnection } from "./useAnnouncements.ts";
