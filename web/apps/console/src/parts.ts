// What other pages take from the console: its connection, its voice, and a card answered in place.
export { api, connect, type ConnectOptions, openHints, scheduler } from "./browser.ts";
export { announce, prepareToAnnounce } from "./frame/announce.tsx";
export { useNow, wordsFor } from "./frame/hooks.ts";
export { InteractionCard } from "./inbox/InteractionCard.tsx";
export { inTurn } from "./inTurn.ts";
export { followPage } from "./language.ts";
export { lazyPart } from "./frame/lazy.tsx";
export { session, whoIsThere } from "./person.ts";
export { needsAnswer } from "./words.ts";
