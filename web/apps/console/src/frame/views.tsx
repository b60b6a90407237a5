// The views, each loaded on first navigation.
import { ChatSkeleton, lazyPage } from "./lazyComponent.tsx";

export const Chat = lazyPage(() => import("../chat/ChatPage.tsx"), (file) => file.ChatPage, <ChatSkeleton />);
export const Inbox = lazyPage(() => import("../inbox/Inbox.tsx"), (file) => file.Inbox);
export const OneInteraction = lazyPage(() => import("../inbox/OneInteraction.tsx"), (file) => file.OneInteraction);
export const History = lazyPage(() => import("../history/History.tsx"), (file) => file.History);
export const Admin = lazyPage(() => import("../admin/Admin.tsx"), (file) => file.Admin);
export const Preferences = lazyPage(() => import("../preferences/Preferences.tsx"), (file) => file.Preferences);
