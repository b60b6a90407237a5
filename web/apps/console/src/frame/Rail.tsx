// The way around: chats, inbox, help. On a small screen it is a menu.
import type { ChatSummary } from "@sayso/core";
import { useEffect, useRef, useState } from "react";
import { messages as texts } from "../messages.ts";
import { Link, pathTo, type Route } from "../router.tsx";
import { Help } from "./Help.tsx";
import type { Overview } from "./overview.ts";

interface Props {
  overview: Overview;
  route: Route;
  loadMore: () => Promise<void>;
}

export function Rail({ overview, route, loadMore }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [helpIsOpen, setHelpOpen] = useState(false);
  const menuButton = useRef<HTMLButtonElement>(null);
  const waiting = overview.pending?.length ?? 0;
  const close = () => setOpen(false);

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
          {texts.app}
        </h1>
        <button
          type="button"
          className="button menu-button"
          ref={menuButton}
          aria-expanded={isOpen}
          aria-controls="rail-body"
          onClick={() => setOpen(!isOpen)}
        >
          {texts.nav.menu}
          {waiting > 0 && <Badge waiting={waiting} />}
        </button>
      </div>
      <div className="rail-body" id="rail-body">
        <nav aria-label={texts.nav.label}>
          <Link className="nav" to={pathTo.welcome} current={route.view === "welcome"} onFollow={close}>
            {texts.nav.newChat}
          </Link>
          <Link className="nav" to={pathTo.inbox} current={route.view === "inbox"} onFollow={close}>
            {texts.nav.inbox}
            {waiting > 0 && <Badge waiting={waiting} />}
          </Link>
        </nav>
        <nav className="rail-chats" aria-labelledby="recent-chats">
          <h2 id="recent-chats">{texts.nav.recent}</h2>
          {overview.chats === null && overview.problem !== null && <p className="quiet pad">{overview.problem.detail}</p>}
          {overview.chats?.length === 0 && <p className="quiet pad">{texts.nav.noChats}</p>}
          <ul>
            {overview.chats?.map((chat) => (
              <li key={chat.id}>
                <Link
                  className="chatlink"
                  to={pathTo.chat(chat.id)}
                  current={route.view === "chat" && route.id === chat.id}
                  onFollow={close}
                >
                  <span dir="auto">{chat.title || texts.chat.untitled}</span>
                  <small className={chat.pending > 0 ? "calls" : ""}>
                    {stateOf(chat)}
                  </small>
                </Link>
              </li>
            ))}
          </ul>
          {overview.moreChats !== null && (
            <button type="button" className="link pad" onClick={() => void loadMore()}>
              {texts.nav.moreChats}
            </button>
          )}
        </nav>
        <button type="button" className="nav help-button" onClick={() => setHelpOpen(true)}>
          {texts.nav.keyboard}
        </button>
      </div>
      {helpIsOpen && <Help close={() => setHelpOpen(false)} />}
    </header>
  );
}

function Badge({ waiting }: { waiting: number }) {
  return (
    <span className="badge">
      <span aria-hidden="true">{waiting}</span>
      <span className="unseen"> {texts.nav.waiting(waiting)}</span>
    </span>
  );
}

function stateOf(chat: ChatSummary): string {
  if (chat.pending > 0) return texts.chatState.waits;
  const status = chat.run?.status;
  if (status === "ready" || status === "running") return texts.chatState.works;
  if (status === "failed") return texts.chatState.failed;
  return when(chat.updated_at);
}

const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

function when(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  return date.toDateString() === new Date().toDateString() ? TIME.format(date) : DAY.format(date);
}

