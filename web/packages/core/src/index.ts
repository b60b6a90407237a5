// What the other packages use of core.
export * from "./actions.ts";
export { type DiffLine, lineDiff } from "./lineDiff.ts";
export { type Api, asQuery, createApi } from "./api.ts";
export * from "./cards.ts";
export { type ChatClient, createChatClient, type NewMessage } from "./client.ts";
export { apply, emptyView, fold, mergePage, overlay } from "./fold.ts";
export { retryUntilLoaded, type Lazy, lazy } from "./lazy.ts";
export { type HintSource, listenToHints } from "./hints.ts";
export * from "./ports.ts";
export * from "./problem.ts";
export * from "./requirements.ts";
export { type Coded, loadMessages, messageText, partText, problemText, spokenText } from "./messages.ts";
export { speak } from "./speak.ts";
export { type Catalog, language, locales, onSpeak, t, type Values } from "./text.ts";
export { type ChatState, type ChatStore, type Connection, createChatStore } from "./store.ts";
export { isObject } from "./wire/read.ts";
export type * from "./wire/rest.ts";
export type * from "./wire/types.ts";
