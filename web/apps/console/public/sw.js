// The service worker: shows what waits while no page is open. It keeps nothing and answers no request.
addEventListener("install", () => self.skipWaiting());
addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
addEventListener("push", (event) => event.waitUntil(show(event.data.json())));
addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.path));
});

async function show({ title, path, tag, waiting, open }) {
  const { registration } = self;
  // Each push has to be shown, or browsers end the subscription.
  await registration.showNotification(title, { tag, icon: "icon-192.png", data: { path } });
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const isLookedAt = pages.some((page) => page.visibilityState === "visible");
  for (const shown of await registration.getNotifications()) {
    const isSettled = waiting <= open.length && !open.includes(shown.tag);
    if (isSettled || (isLookedAt && shown.tag === tag)) shown.close();
  }
  await navigator.setAppBadge?.(waiting).catch(() => undefined);
}

async function open(of) {
  const path = new URL(`.${of}`, location).pathname; // under the path at which this server is
  const [page] = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (page === undefined) return self.clients.openWindow(path);
  await page.focus();
  page.postMessage({ path });
}
