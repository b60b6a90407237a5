// Find anything: cards by their words, arguments and people, chats by their titles and messages.
import { type ChatSummary, decidedAs, type Interaction, t, titleOf } from "@sayso/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { Link, navigate, pathTo } from "../router.tsx";
import { agentName } from "../words.ts";
import { announce } from "./announce.tsx";
import { describeError } from "./hooks.ts";
import { Search } from "./Search.tsx";

/** Enough to look through; more words find better than more rows. */
const MOST = 8;

interface Found {
  words: string;
  cards: readonly Interaction[];
  chats: readonly ChatSummary[];
}

export function Find({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState("");
  const { found, problem } = useFound(words);
  useEffect(() => dialog.current?.showModal(), []);
  const isCurrent = found !== null && found.words === words;
  const first = isCurrent ? firstOf(found) : null;

  return (
    <dialog ref={dialog} className="help find" aria-labelledby="find-title" onClose={close}>
      <h2 id="find-title">{t("Find anything")}</h2>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (first === null) return;
          close();
          navigate(first);
        }}
      >
        <Search label={t("Cards, chats, people, arguments")} value={words} onChange={setWords} />
      </form>
      {problem !== "" && <p className="notice">{problem}</p>}
      {isCurrent && first === null && <p className="quiet">{t("Nothing was found.")}</p>}
      {found !== null && (
        <>
          <Group name={t("Cards")}>
            {found.cards.map((card) => (
              <Hit key={card.interaction_id} to={pathTo.interaction(card.interaction_id)} name={titleOf(card) || agentName(card.agent_name)} close={close}>
                {[card.status === "pending" ? t("Needs your answer") : decidedAs(card), card.chat_title].filter(Boolean).join(" · ")}
              </Hit>
            ))}
          </Group>
          <Group name={t("Chats")}>
            {found.chats.map((chat) => (
              <Hit key={chat.id} to={pathTo.chat(chat.id)} name={chat.title || t("New chat")} close={close}>
                {agentName(chat.agent)}
              </Hit>
            ))}
          </Group>
        </>
      )}
      <form method="dialog">
        <button className="button">{t("Close")}</button>
      </form>
    </dialog>
  );
}

function Group({ name, children }: { name: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      <ul>{children}</ul>
    </section>
  );
}

function Hit({ to, name, close, children }: { to: string; name: string; close: () => void; children: ReactNode }) {
  return (
    <li>
      <Link className="chatlink" to={to} onFollow={close}>
        <span dir="auto">{name}</span>
        <small>{children}</small>
      </Link>
    </li>
  );
}

function useFound(words: string): { found: Found | null; problem: string } {
  const [found, setFound] = useState<Found | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (words === "") return setFound(null);
    let isLatest = true;
    const query = { q: words, limit: MOST };
    Promise.all([api.interactions(query), api.chats(query)]).then(
      ([cards, chats]) => {
        if (!isLatest) return;
        setFound({ words, cards: cards.items, chats: chats.items });
        setProblem("");
        announce(t("{n, plural, one {# found} other {# found}}", { n: cards.items.length + chats.items.length }));
      },
      (error: unknown) => isLatest && setProblem(describeError(error).detail),
    );
    return () => void (isLatest = false);
  }, [words]);
  return { found, problem };
}

/** Where Enter leads. */
function firstOf({ cards, chats }: Found): string | null {
  if (cards[0] !== undefined) return pathTo.interaction(cards[0].interaction_id);
  return chats[0] === undefined ? null : pathTo.chat(chats[0].id);
}
