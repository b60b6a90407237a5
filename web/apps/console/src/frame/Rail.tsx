// The navigation: chats, inbox, help. On a small screen it is a menu.
import { t } from "@sayso/core";
import { useEffect, useRef, useState } from "react";
import { Link, pathTo, type Route } from "../router.tsx";
import { Badge } from "./Badge.tsx";
import { ChatList } from "./ChatList.tsx";
import { lazyPart } from "./lazyComponent.tsx";
import { useFindShortcut, useHelpShortcut } from "./nextCard.ts";
import { type Overview, waitingIn } from "./overview.ts";

const Find = lazyPart(() => import("./Find.tsx"), (file) => file.Find);
const Help = lazyPart(() => import("./Help.tsx"), (file) => file.Help);

interface Props {
  overview: Overview;
  route: Route;
  loadMore: () => Promise<number>;
}

export function Rail({ overview, route, loadMore }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [helpIsOpen, setHelpOpen] = useState(false);
  const [findIsOpen, setFindOpen] = useState(false);
  useHelpShortcut(() => setHelpOpen(true));
  useFindShortcut(() => setFindOpen(true));
  const menuButton = useRef<HTMLButtonElement>(null);
  const waiting = waitingIn(overview);
  const close = () => setOpen(false);
  const doors = doorsFor(overview.role);

  useEffect(() => {
    if (!isOpen) return;
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      setOpen(false);
      menuButton.current?.focus();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [isOpen]);

  return (
    <header className="rail" data-open={isOpen ? "" : undefined}>
      <div className="rail-head">
        <h1 className="brand">
          <span className="mark" aria-hidden="true" />
          Sayso
        </h1>
        <button
          type="button"
          className="button menu-button"
          ref={menuButton}
          aria-expanded={isOpen}
          aria-controls="rail-body"
          onClick={() => setOpen(!isOpen)}
        >
          {t("Menu")}
          {waiting > 0 && <Badge waiting={waiting} />}
        </button>
      </div>
      <div className="rail-body" id="rail-body">
        <nav aria-label={t("Main")}>
          <Link
            className="nav"
            to={pathTo.welcome}
            current={route.view === "welcome" || route.view === "chat"}
            onFollow={close}
          >
            {t("Chats")}
          </Link>
          <Link className="nav" to={pathTo.inbox} current={route.view === "inbox"} onFollow={close}>
            {t("Inbox")}
            {waiting > 0 && <Badge waiting={waiting} />}
          </Link>
          {doors.map(({ view, name }) => (
            <Link key={view} className="nav" to={pathTo[view]} current={route.view === view} onFollow={close}>
              {name}
            </Link>
          ))}
        </nav>
        <ChatList overview={overview} route={route} loadMore={loadMore} close={close} />
        <button type="button" className="nav help-button" onClick={() => setFindOpen(true)}>
          {t("Find anything")}
        </button>
        <button type="button" className="nav keyboard-button" onClick={() => setHelpOpen(true)}>
          {t("Keyboard")}
        </button>
      </div>
      {findIsOpen && <Find close={() => setFindOpen(false)} />}
      {helpIsOpen && <Help close={() => setHelpOpen(false)} />}
    </header>
  );
}

function doorsFor(role: string | undefined) {
  const all = [
    { view: "history", name: t("History"), isOpen: true },
    { view: "admin", name: t("Admin"), isOpen: role === "admin" },
    { view: "preferences", name: t("Preferences"), isOpen: true },
  ] as const;
  return all.filter(({ isOpen }) => isOpen);
}
