// What the other packages use of core.
export * from "./actions.ts";
export { type Api, createApi } from "./api.ts";
export * from "./cards.ts";
export { type ChatClient, createChatClient, type NewMessage } from "./client.ts";
export { apply, emptyView, fold, mergePage, overlay } from "./fold.ts";
export { type HintSource, listenToHints } from "./hints.ts";
export * from "./ports.ts";
export * from "./problem.ts";
export { type ChatState, type ChatStore, type Connection, createChatStore } from "./store.ts";
export type * from "./wire/rest.ts";
export type * from "./wire/types.ts";
