// What the other packages use of core.
export * from "./actions.ts";
export { type Api, asQuery, createApi } from "./api.ts";
export * from "./cards.ts";
export { type ChatClient, createChatClient, type NewMessage } from "./client.ts";
export { apply, emptyView, fold, mergePage, overlay } from "./fold.ts";
export { keepAsking, type Later, later } from "./later.ts";
export { type HintSource, listenToHints } from "./hints.ts";
export * from "./ports.ts";
export * from "./problem.ts";
export * from "./requirements.ts";
export { loadServerWords, problemWords, replyWords, sentenceWords, titleWords, valueWords } from "./said.ts";
export * from "./text.ts";
export { type ChatState, type ChatStore, type Connection, createChatStore } from "./store.ts";
export type * from "./wire/rest.ts";
export type * from "./wire/types.ts";
