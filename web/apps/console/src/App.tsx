// The console: the way around at the side, one view in the middle, and the regions that speak.
import { type ReactNode, useEffect, useRef, useState } from "react";
import { api, openHints } from "./browser.ts";
import { ChatPage } from "./chat/ChatPage.tsx";
import { begunHere } from "./chat/session.ts";
import { Announcer } from "./frame/announce.tsx";
import { pageTitle, useTitle } from "./frame/hooks.ts";
import { useNextCardShortcut } from "./frame/nextCard.ts";
import { createOverview, type Overview, type OverviewStore, useOverview } from "./frame/overview.ts";
import { Rail } from "./frame/Rail.tsx";
import { SignIn } from "./frame/SignIn.tsx";
import { Welcome } from "./frame/Welcome.tsx";
import { Inbox } from "./inbox/Inbox.tsx";
import { OneInteraction } from "./inbox/OneInteraction.tsx";
import { messages as texts } from "./messages.ts";
import { Link, pathTo, type Route, routeOf, usePath } from "./router.tsx";

export function App() {
  const [store] = useState(() => createOverview(api, openHints));
  const overview = useOverview(store);
  const path = usePath();
  const route = routeOf(path);
  const main = useRef<HTMLElement>(null);
  useNextCardShortcut();
  useFocusOnNewView(path, main);

  useEffect(() => {
    store.start();
    return () => store.stop();
  }, [store]);

  if (overview.problem?.document.status === 401) return <SignIn />;
  return (
    <>
      <a className="skip" href="#main">
        {texts.skip}
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
  const waiting = overview.pending?.length ?? 0;
  switch (route.view) {
    case "welcome":
      return <Welcome waiting={waiting} />;
    case "chat":
      return <ChatPage key={route.id} chatId={route.id} waitingInAll={waiting} me={overview.me} />;
    case "inbox":
      return <Inbox overview={overview} refresh={() => void store.refresh()} />;
    case "interaction":
      return <OneInteraction key={route.id} id={route.id} overview={store} waiting={waiting} me={overview.me} />;
    case "missing":
      return <Missing />;
  }
}

function Missing() {
  useTitle(pageTitle(texts.missing.title, 0));
  return (
    <div className="page narrow">
      <h2 tabIndex={-1}>{texts.missing.title}</h2>
      <p>{texts.missing.lead}</p>
      <Link to={pathTo.welcome}>{texts.missing.home}</Link>
    </div>
  );
}

/** After going to another view the focus is at its heading, as on a new page; in a chat just begun one writes on. */
function useFocusOnNewView(path: string, main: { current: HTMLElement | null }): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    const route = routeOf(path);
    const wanted = route.view === "chat" && begunHere.has(route.id) ? "textarea" : "h2[tabindex]";
    const place = main.current?.querySelector<HTMLElement>(wanted) ?? main.current;
    place?.focus({ preventScroll: true });
  }, [path]);
}
