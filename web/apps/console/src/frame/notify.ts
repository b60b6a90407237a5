// Desktop notifications for new cards while the page is hidden: one per card over all tabs of this browser.
import { type Interaction, isHold, titleOf } from "@sayso/core";
import { useEffect, useRef } from "react";
import { home } from "../home.ts";
import { navigate, pathTo } from "../router.tsx";
import { agentName, needsAnswer } from "../words.ts";
import { choices } from "./choices.ts";
import { NEWEST } from "./overview.ts";

/** A shared lock held by every visible tab. */
const LOOKED_AT = "sayso:looked-at";
const NOTIFIED = "sayso:told:";
/** By then every other tab has got the hint too and found the lock taken. */
const HEARD_MILLISECONDS = 10 * 60_000;

export function mayNotify(): boolean {
  return "Notification" in globalThis && Notification.permission === "granted";
}

/** Only cards that arrive after page load are notified; earlier ones are in the badge. */
export function useNotifications(newest: readonly Interaction[] | null): void {
  const known = useRef<Set<string> | null>(null);
  useEffect(() => (typeof navigator.locks === "undefined" ? undefined : holdWhileLookedAt()), []);
  useEffect(goWherePushLeads, []);
  useEffect(() => {
    if (newest === null) return;
    void closeSettled(newest);
    const before = known.current;
    known.current = new Set(newest.map((row) => row.interaction_id));
    if (before === null) return;
    for (const row of newest) if (!before.has(row.interaction_id) && !isHold(row)) void notify(row);
  }, [newest]);
}

/** Show the count on the icon of the installed app. */
export function useAppBadge(waiting: number): void {
  useEffect(() => {
    if (!("setAppBadge" in navigator)) return;
    const done = waiting > 0 ? navigator.setAppBadge(waiting) : navigator.clearAppBadge();
    // Some browsers refuse if the app is not installed.
    done.catch(() => undefined);
  }, [waiting]);
}

async function notify(row: Interaction): Promise<void> {
  if (!document.hidden || !choices().notifications || !mayNotify()) return;
  if (typeof navigator.locks === "undefined") return show(row);
  const { held = [] } = await navigator.locks.query();
  if (held.some((lock) => lock.name === LOOKED_AT)) return;
  // A lock, since storage changes may reach other tabs too late.
  await navigator.locks.request(NOTIFIED + row.interaction_id, { ifAvailable: true }, (lock) => {
    if (lock === null) return undefined;
    show(row);
    return new Promise<void>((done) => setTimeout(done, HEARD_MILLISECONDS));
  });
}

function show(row: Interaction): void {
  try {
    const notification = new Notification(needsAnswer(titleOf(row)), {
      body: agentName(row.agent_name),
      icon: `${home}icon-192.png`,
      // A repeated notification replaces the earlier one.
      tag: row.interaction_id,
    });
    notification.onclick = () => {
      globalThis.focus();
      navigate(pathTo.interaction(row.interaction_id));
      notification.close();
    };
  } catch {
    // Some phones allow notifications only from a service worker; there the badge must do.
  }
}

/** Take back the service worker's notices of what was settled meanwhile, wherever that was. */
async function closeSettled(newest: readonly Interaction[]): Promise<void> {
  if (newest.length >= NEWEST || !navigator.serviceWorker) return;
  const waits = new Set(newest.map((row) => row.interaction_id));
  const registration = await navigator.serviceWorker.getRegistration(home);
  for (const shown of (await registration?.getNotifications()) ?? []) if (!waits.has(shown.tag)) shown.close();
}

/** A press on a notice of the service worker leads to its card in the page that is open. */
function goWherePushLeads(): (() => void) | undefined {
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  const go = ({ data }: MessageEvent<{ path: string }>) => navigate(data.path);
  workers?.addEventListener("message", go);
  return () => workers?.removeEventListener("message", go);
}

function holdWhileLookedAt(): () => void {
  let letGo: (() => void) | null = null;
  function follow() {
    if (document.hidden) {
      letGo?.();
      letGo = null;
    } else if (letGo === null) {
      const gone = new Promise<void>((done) => (letGo = done));
      navigator.locks.request(LOOKED_AT, { mode: "shared" }, () => gone).catch(() => undefined);
    }
  }
  follow();
  document.addEventListener("visibilitychange", follow);
  return () => {
    document.removeEventListener("visibilitychange", follow);
    letGo?.();
  };
}
