// Push: this browser is told what waits while no page is open. The browser's maker carries the notices.
import { api } from "../browser.ts";
import { home } from "../home.ts";
import { useLanguage } from "../language.ts";

type Spoken = ReturnType<typeof useLanguage>["spoken"];

/** Whether this browser can be told, and is. "impossible" without a key on the server, or support here. */
export type PushState = "impossible" | "off" | "on";

export async function pushState(): Promise<PushState> {
  if (!("serviceWorker" in navigator) || !("PushManager" in globalThis)) return "impossible";
  if ((await api.pushKey()) === null) return "impossible";
  return (await subscription()) === null ? "off" : "on";
}

/** Rejects where the browser or the server refuses. */
export async function startPush(language: Spoken): Promise<void> {
  const key = await api.pushKey();
  if (key === null) throw new Error("The server has no key.");
  await navigator.serviceWorker.register(`${home}sw.js`);
  const { pushManager } = await navigator.serviceWorker.ready;
  const given = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  await api.putPushSubscription({ ...given.toJSON(), language });
}

export async function stopPush(language: Spoken): Promise<void> {
  const given = await subscription();
  if (given === null) return;
  // Its name on the server follows from its address.
  const { id } = await api.putPushSubscription({ ...given.toJSON(), language });
  await api.forgetPushSubscription(id);
  await given.unsubscribe();
}

async function subscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(home);
  return (await registration?.pushManager.getSubscription()) ?? null;
}
