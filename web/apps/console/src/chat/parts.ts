// The parts of the chat view that <sayso-chat> uses.
export { AskedChoices } from "./AskedChoices.tsx";
export { KnownValues } from "./KnownValues.tsx";
export { Badge } from "../frame/Badge.tsx";
export { useCardTools } from "./cardTools.ts";
export { press, purposeOf } from "./purpose.ts";
export { StopButton } from "./StopButton.tsx";
export { WaitingButton } from "./WaitingButton.tsx";
export { treeOf } from "./useScroll.ts";
export { ToolUiNotes } from "../toolUi/ToolUiNotes.tsx";
export { Log } from "./Log.tsx";
export { LogSkeleton } from "../frame/lazyComponent.tsx";
export { Composer, type Words } from "./Composer.tsx";
export { Starters } from "./Starters.tsx";
export { ConnectionBanner } from "./ConnectionBanner.tsx";
export { startedHere } from "./startedHere.ts";
export { isRunOpen, pendingOf, useChat, useChatState } from "./session.ts";
export { useOutOfSight } from "./useOutOfSight.ts";
export { useAnnouncements, useLostConnection } from "./useAnnouncements.ts";
