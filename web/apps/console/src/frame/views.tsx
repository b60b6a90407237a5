// The views, each loaded when somebody goes there.
import { ChatSkeleton, lazyPage } from "./lazy.tsx";
import type { Overview, OverviewStore } from "./overview.ts";

export interface PageProps {
  overview: Overview;
  store: OverviewStore;
}

export const Chat = lazyPage(() => import("../chat/ChatPage.tsx"), (file) => file.ChatPage, <ChatSkeleton />);
export const Inbox = lazyPage(() => import("../inbox/Inbox.tsx"), (file) => file.Inbox);
export const OneInteraction = lazyPage(() => import("../inbox/OneInteraction.tsx"), (file) => file.OneInteraction);
export const History = lazyPage(() => import("../history/History.tsx"), (file) => file.History);
export const Admin = lazyPage(() => import("../admin/Admin.tsx"), (file) => file.Admin);
export const Preferences = lazyPage(() => import("../preferences/Preferences.tsx"), (file) => file.Preferences);
