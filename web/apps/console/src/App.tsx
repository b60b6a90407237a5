// The console: navigation at the side, one view in the middle, and the live regions.
import { t } from "@sayso/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { api, openHints } from "./browser.ts";
import { startedHere } from "./chat/startedHere.ts";
import { Announcer } from "./frame/announce.tsx";
import { pageTitle, useTitle } from "./frame/hooks.ts";
import { useNextCardShortcut, useTypeShortcut } from "./frame/nextCard.ts";
import { useAppBadge, useNotifications } from "./frame/notify.ts";
import { createOverview, type Overview, type OverviewStore, useOverview, waitingIn } from "./frame/overview.ts";
import { Rail } from "./frame/Rail.tsx";
import { SignIn } from "./frame/SignIn.tsx";
import { Admin, Chat, History, Inbox, OneInteraction, Preferences } from "./frame/views.tsx";
import { Welcome } from "./frame/Welcome.tsx";
import { useLanguage } from "./language.ts";
import { Link, pathTo, type Route, routeOf, usePath } from "./router.tsx";

export function App() {
  const [store] = useState(() => createOverview(api, openHints));
  const overview = useOverview(store);
  const path = usePath();
  const route = routeOf(path);
  const main = useRef<HTMLElement>(null);
  useNextCardShortcut();
  useTypeShortcut();
  useNotifications(overview.newest);
  useAppBadge(waitingIn(overview));
  useLanguage();
  useFocusOnNewView(path, main);

  useEffect(() => {
    store.start();
    return () => store.stop();
  }, [store]);

  if (overview.problem?.document.status === 401) return <SignIn />;
  return (
    <>
      <a className="skip" href="#main">
        {t("Skip to the content")}
      </a>
      <Announcer />
      <div className="app" data-view={route.view}>
        <Rail overview={overview} route={route} loadMore={() => store.loadMoreChats()} />
        <main id="main" ref={main} tabIndex={-1}>
          {viewOf(route, overview, store)}
        </main>
      </div>
    </>
  );
}

function viewOf(route: Route, overview: Overview, store: OverviewStore): ReactNode {
  const waiting = waitingIn(overview);
  switch (route.view) {
    case "welcome":
      return <Welcome waiting={waiting} />;
    case "chat":
      return <Chat key={route.id} chatId={route.id} waitingInAll={waiting} me={overview.me} />;
    case "inbox":
      return <Inbox overview={overview} store={store} />;
    case "interaction":
      return <OneInteraction key={route.id} id={route.id} overview={overview} store={store} />;
    case "history":
      return <History overview={overview} store={store} />;
    case "admin":
      return <Admin overview={overview} store={store} />;
    case "preferences":
      return <Preferences overview={overview} store={store} />;
    case "missing":
      return <Missing />;
  }
}

function Missing() {
  useTitle(pageTitle(t("There is no such page"), 0));
  return (
    <div className="page narrow">
      <h2 tabIndex={-1}>{t("There is no such page")}</h2>
      <p>{t("Check the address.")}</p>
      <Link to={pathTo.welcome}>{t("Go to your chats")}</Link>
    </div>
  );
}

/** After navigation, focus the heading of the new view, as on a new page; in a chat just started, the composer. */
function useFocusOnNewView(path: string, main: { current: HTMLElement | null }): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    const route = routeOf(path);
    const wanted = route.view === "chat" && startedHere.has(route.id) ? "textarea" : "h2[tabindex]";
    const place = main.current?.querySelector<HTMLElement>(wanted) ?? main.current;
    place?.focus({ preventScroll: true });
  }, [path]);
}
