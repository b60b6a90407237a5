// What the elements use of the console: its connection, its announcer, and a card answered in place.
export { api, connect, type ConnectOptions, openHints, scheduler } from "./browser.ts";
export { announce, prepareToAnnounce } from "./frame/announce.tsx";
export { useNow, describeError } from "./frame/hooks.ts";
export { InteractionCard } from "./inbox/InteractionCard.tsx";
export { serialQueue } from "./serialQueue.ts";
export { followPage } from "./language.ts";
export { lazyPart } from "./frame/lazyComponent.tsx";
export { session, loadSession } from "./person.ts";
export { newsOf } from "./words.ts";
