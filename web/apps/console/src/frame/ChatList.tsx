// The list of chats at the side, grouped by day, with a search.
import { type ChatSummary, t } from "@sayso/core";
import { clock } from "@sayso/cards";
import { useEffect, useId, useState } from "react";
import { api } from "../browser.ts";
import { Link, pathTo, type Route } from "../router.tsx";
import { runWords } from "../words.ts";
import { announce } from "./announce.tsx";
import { type ChatSearch, createChatSearch, useChatSearch } from "./chatSearch.ts";
import type { Overview } from "./overview.ts";

interface Props {
  overview: Overview;
  route: Route;
  loadMore: () => Promise<number>;
  /** Called when a chat is opened. */
  close: () => void;
}

export function ChatList({ overview, route, loadMore, close }: Props) {
  const [store] = useState(() => createChatSearch(api));
  const search = useChatSearch(store);
  const field = useId();
  useEffect(() => sayFound(search), [search.found, search.problem]);
  const { chats } = overview;
  const isSearching = search.words.trim() !== "";
  const now = new Date();
  // Changed chats are always among the newest, whose state is fresher than the search result.
  const fresh = new Map(chats?.map((chat) => [chat.id, chat]));
  const list = (of: readonly ChatSummary[]) => (
    <ul>
      {of.map((chat) => (
        <Entry
          key={chat.id}
          chat={fresh.get(chat.id) ?? chat}
          now={now}
          isHere={route.view === "chat" && route.id === chat.id}
          close={close}
        />
      ))}
    </ul>
  );

  return (
    <nav className="rail-chats" aria-label={t("Chats")}>
      <div className="rail-search" role="search">
        <div className="rail-line">
          <label htmlFor={field}>{t("Search chats")}</label>
          <Link className="link" to={pathTo.welcome} onFollow={close}>
            {t("New chat")}
          </Link>
        </div>
        <input
          id={field}
          type="search"
          autoComplete="off"
          placeholder={t("Titles and messages")}
          maxLength={500}
          value={search.words}
          onInput={(event) => store.type(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || search.words === "") return;
            // The first Escape clears the field, the next one closes the menu.
            event.stopPropagation();
            event.preventDefault();
            store.type("");
          }}
        />
      </div>
      <div className="rail-scroll">
        {isSearching ? (
          <Found search={search} list={list} again={store.again} loadMore={store.loadMore} />
        ) : (
          <>
            {chats === null && overview.problem !== null && <p className="quiet pad">{overview.problem.detail}</p>}
            {chats?.length === 0 && <p className="quiet pad">{t("No chats yet.")}</p>}
            {groupsOf(chats ?? [], now).map(({ name, of }) => (
              <section key={name}>
                <h2>{name}</h2>
                {list(of)}
              </section>
            ))}
            {overview.moreChats !== null && (
              <More
                loadMore={async () => {
                  const n = await loadMore();
                  announce(t("{n, plural, one {# more chat} other {# more chats}}", { n }));
                }}
              />
            )}
          </>
        )}
      </div>
    </nav>
  );
}

interface FoundProps {
  search: ChatSearch;
  list: (of: readonly ChatSummary[]) => React.ReactNode;
  again: () => Promise<void>;
  loadMore: () => Promise<void>;
}

function Found({ search, list, again, loadMore }: FoundProps) {
  if (search.problem !== null) {
    return (
      <p className="quiet pad">
        {search.problem.detail}{" "}
        <button type="button" className="link" onClick={() => void again()}>
          {t("Try again")}
        </button>
      </p>
    );
  }
  if (search.found === null) return <p className="quiet pad">{t("Searching…")}</p>;
  return (
    <section aria-busy={search.isAsking}>
      <h2>{foundWords(search)}</h2>
      {list(search.found)}
      {search.more !== null && <More loadMore={loadMore} />}
    </section>
  );
}

function More({ loadMore }: { loadMore: () => Promise<void> }) {
  const [problem, setProblem] = useState("");
  return (
    <>
      <button
        type="button"
        className="link pad"
        onClick={() => {
          setProblem("");
          loadMore().catch((error: unknown) => setProblem(error instanceof Error ? error.message : ""));
        }}
      >
        {t("Show more chats")}
      </button>
      {problem !== "" && <p className="composer-error pad">{problem}</p>}
    </>
  );
}

interface EntryProps {
  chat: ChatSummary;
  now: Date;
  isHere: boolean;
  close: () => void;
}

function Entry({ chat, now, isHere, close }: EntryProps) {
  return (
    <li>
      <Link className="chatlink" to={pathTo.chat(chat.id)} current={isHere} onFollow={close}>
        <span dir="auto">{chat.title || t("New chat")}</span>
        <small className={chat.pending > 0 ? "calls" : ""}>{stateOf(chat, now)}</small>
      </Link>
    </li>
  );
}

function stateOf(chat: ChatSummary, now: Date): string {
  const time = clock(chat.updated_at, now);
  if (chat.pending > 0) return t("Waits for you, {time}", { time });
  switch (chat.run?.status) {
    case "ready":
    case "running":
      return runWords("running");
    case "failed":
      return t("Stopped with an error, {time}", { time });
    case "cancelled":
      return t("Stopped, {time}", { time });
    case "completed":
      return t("Done, {time}", { time });
    default:
      return time;
  }
}

/** What waits comes first, however old; the others by day, newest first. Empty groups are left out. */
function groupsOf(chats: readonly ChatSummary[], now: Date): { name: string; of: readonly ChatSummary[] }[] {
  const today = now.toDateString();
  const dayOf = (chat: ChatSummary) =>
    chat.pending > 0 ? "waiting" : new Date(chat.updated_at).toDateString() === today ? "today" : "earlier";
  const groups = [
    { name: runWords("waiting"), of: chats.filter((chat) => dayOf(chat) === "waiting") },
    { name: t("Today"), of: chats.filter((chat) => dayOf(chat) === "today") },
    { name: t("Earlier"), of: chats.filter((chat) => dayOf(chat) === "earlier") },
  ];
  return groups.filter(({ of }) => of.length > 0);
}

function foundWords({ found, more }: ChatSearch): string {
  const n = found?.length ?? 0;
  if (n === 0) return t("No chat has these words");
  if (more !== null) return t("The newest {n} chats with these words", { n });
  return t("{n, plural, one {# chat} other {# chats}} with these words", { n });
}

function sayFound(search: ChatSearch): void {
  if (search.problem !== null) announce(search.problem.detail, "assertive");
  else if (search.found !== null) announce(foundWords(search));
}
