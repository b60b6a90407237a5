// One chat: what was said, what waits, how far it is, and where to write.
import {
  cardBodyOf,
  cardTitleOf,
  type ChatView,
  isPending,
  type JsonObject,
  type LiveText,
  type MessageItem,
  type SendCardAction,
  uiToolOf,
} from "@sayso/core";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { announce } from "../frame/announce.tsx";
import { pageTitle, useNow, useTitle, wordsFor } from "../frame/hooks.ts";
import { goToNextCard } from "../frame/nextCard.ts";
import { messages as texts } from "../messages.ts";
import { Link, pathTo } from "../router.tsx";
import { unsent } from "../unsent.ts";
import { Composer, compose } from "./Composer.tsx";
import { ConnectionBanner } from "./ConnectionBanner.tsx";
import { type CardTools, LogItem } from "./LogItem.tsx";
import { entriesOf, isRunOpen, pendingOf, useChat, useChatState } from "./session.ts";
import { hasSide, SidePanel } from "./SidePanel.tsx";
import { useAnnouncements, useLostConnection } from "./useAnnouncements.ts";
import { useScroll } from "./useScroll.ts";

interface Props {
  chatId: string;
  /** How many things wait in all chats, for the page's title. */
  waitingInAll: number;
  me: string | undefined;
}

export function ChatPage({ chatId, waitingInAll, me }: Props) {
  const session = useChat(chatId);
  const state = useChatState(session);
  const now = useNow(15_000);
  const { view, connection } = state;
  useAnnouncements(state, session.answeredHere, now);
  const isLost = useLostConnection(state);
  const name = view?.title || texts.chat.untitled;
  useTitle(pageTitle(name, waitingInAll));

  const composer = useRef<HTMLTextAreaElement>(null);
  const [sideIsOpen, setSideIsOpen] = useState(false);
  const tools = useCardTools(session, me, composer, () => setSideIsOpen(true));

  if (view === null && connection.state === "closed") {
    return (
      <div className="page narrow">
        <h2 tabIndex={-1}>{texts.chat.gone}</h2>
        <p>{connection.problem?.detail}</p>
        <p className="quiet">{connection.problem?.fix}</p>
        <Link to={pathTo.welcome}>{texts.missing.home}</Link>
      </div>
    );
  }

  const waiting = pendingOf(view?.messages ?? []);
  const run = view?.run ?? null;
  const beside = (view?.messages ?? []).filter((message) => uiToolOf(message)?.display === "artifact");
  const side = { progress: view?.progress ?? null, cards: beside, artifacts: view?.artifacts ?? [] };
  const withSide = hasSide(side);
  const free = freeQuestion(waiting);

  return (
    <div className="chat" data-side={withSide ? (sideIsOpen ? "open" : "closed") : "none"}>
      <div className="chat-main">
        <header className="top">
          <div className="top-words">
            <h2 tabIndex={-1} dir="auto">
              {view === null ? texts.loading : name}
            </h2>
            <p className="quiet">
              {view?.agent && <span className="agent-name">{view.agent}</span>}
              {run !== null && <span>{texts.chat.run[run.status] ?? run.status}</span>}
            </p>
          </div>
          {withSide && (
            <button
              type="button"
              className="button side-button"
              aria-expanded={sideIsOpen}
              aria-controls="side"
              onClick={() => setSideIsOpen(!sideIsOpen)}
            >
              {sideIsOpen ? texts.chat.back : sideLabel(side)}
            </button>
          )}
          {isRunOpen(run?.status) && (
            <CancelButton
              cancel={() => session.client.cancel()}
              runId={run?.run_id ?? ""}
              after={() => composer.current?.focus()}
            />
          )}
        </header>
        <ConnectionBanner connection={connection} retry={() => session.client.wake()} />
        {view === null ? (
          <Skeleton />
        ) : (
          <Log
            view={view}
            tools={tools}
            drafts={state.drafts}
            now={now}
            waiting={waiting.length}
            loadOlder={() => session.loadOlder()}
          />
        )}
        <Composer
          of={`chat:${chatId}`}
          send={(words) => session.client.message(words)}
          runIsOpen={isRunOpen(run?.status)}
          answers={free}
          placeholder={texts.composer.placeholder}
          isConnected={!isLost}
          boxRef={composer}
        />
      </div>
      {withSide && (
        <aside className="side" id="side" aria-label={texts.side.show}>
          <SidePanel {...side} tools={tools} now={now} />
        </aside>
      )}
    </div>
  );
}

function sideLabel({ progress, cards, artifacts }: { progress: unknown; cards: unknown[]; artifacts: unknown[] }): string {
  if (cards.length === 0 && artifacts.length === 0) return texts.side.progress;
  return progress === null ? texts.side.results : texts.side.show;
}

interface LogProps {
  view: ChatView;
  tools: CardTools;
  drafts: Readonly<Record<string, JsonObject>>;
  now: Date;
  waiting: number;
  loadOlder: () => Promise<boolean>;
}

function Log({ view, tools, drafts, now, waiting, loadOlder }: LogProps) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const entries = useMemo(() => entriesOf(view), [view.messages, view.tool_calls]);
  const [older, setOlder] = useState<{ phase: "idle" | "loading" } | { phase: "failed"; why: string }>({ phase: "idle" });
  const scroll = useScroll(box, inner, view);
  // Receipts tell the day; only what still waits looks at the minutes.
  const today = useMemo(() => now, [now.toDateString()]);
  const run = view.run ?? null;

  async function more() {
    if (older.phase === "loading") return;
    setOlder({ phase: "loading" });
    try {
      const loaded = await loadOlder();
      // It is here, and drawn with the next picture.
      scroll.holdPlace();
      setOlder({ phase: "idle" });
      if (loaded && top.current?.contains(document.activeElement)) announce(texts.announce.earlierLoaded);
    } catch (error) {
      setOlder({ phase: "failed", why: wordsFor(error).detail });
    }
  }

  const loadMore = useRef(more);
  loadMore.current = more;
  useEffect(() => {
    const edge = top.current;
    if (edge === null || typeof IntersectionObserver === "undefined") return;
    const observer = new IntersectionObserver(
      // Only for those who have gone up: a short page would load all of a long chat.
      ([entry]) => void (entry?.isIntersecting && (box.current?.scrollTop ?? 0) > 0 && loadMore.current()),
      { root: box.current, rootMargin: "300px 0px 0px 0px" },
    );
    observer.observe(edge);
    return () => observer.disconnect();
  }, [view.before === null]);

  return (
    <div className="log-frame">
      <div className="log" role="log" aria-live="off" aria-label={texts.chat.log} tabIndex={0} ref={box}>
        <div className="log-inner" ref={inner}>
          {view.before != null && (
            <div className="log-top" ref={top}>
              <button type="button" className="button quiet-button" aria-disabled={older.phase === "loading"} onClick={() => void more()}>
                {older.phase === "loading" ? texts.chat.loadingEarlier : texts.chat.earlier}
              </button>
              {older.phase === "failed" && <p className="composer-error">{older.why}</p>}
            </div>
          )}
          {entries.length === 0 && view.live.length === 0 && <p className="quiet log-empty">{texts.chat.empty}</p>}
          {/* One list, so that a text keeps its element when it is complete. */}
          {[...entries, ...view.live].map((entry) => {
            if (!("kind" in entry)) {
              return <LogItem key={entry.message_id} entry={asMessage(entry)} tools={tools} now={today} streaming />;
            }
            const id = entry.kind === "message" ? entry.event_id : entry.tool_call_id;
            const waits = entry.kind === "message" && isPending(entry);
            return <LogItem key={id} entry={entry} tools={tools} draft={drafts[id]} now={waits ? now : today} />;
          })}
          {run !== null && run.status === "running" && view.live.length === 0 && (
            <p className="entry working" aria-hidden="true">
              {texts.chat.run["running"]}
            </p>
          )}
          {run !== null && run.status === "failed" && <p className="entry run-end bad">{failure(run.error)}</p>}
          {run !== null && run.status === "cancelled" && (
            <p className="entry run-end">
              {isSentence(run.reason) ? texts.chat.cancelledBecause(run.reason) : texts.chat.run["cancelled"]}
            </p>
          )}
        </div>
      </div>
      <div className="log-jumps">
        {!scroll.isAtEnd && (
          <button type="button" className="button" onClick={scroll.toEnd}>
            {texts.chat.latest}
          </button>
        )}
        {!scroll.isAtEnd && waiting > 0 && (
          <button type="button" className="button go" onClick={() => goToNextCard()}>
            {texts.chat.waitingFor(waiting)}
          </button>
        )}
      </div>
    </div>
  );
}

/** A text still being written, drawn as the message it will be. */
function asMessage({ message_id, text, agent_name }: LiveText): MessageItem {
  return {
    kind: "message",
    event_id: message_id,
    sequence: 0,
    as_of: 0,
    role: "assistant",
    agent_name: agent_name ?? null,
    content: text,
    timestamp: "",
    status: "complete",
    metadata: {},
  };
}

function CancelButton({ cancel, runId, after }: { cancel: () => Promise<unknown>; runId: string; after: () => void }) {
  const [asked, setAsked] = useState<string | null>(null);
  const isAsked = asked === runId;
  const button = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);
  hadFocus.current = button.current !== null && document.activeElement === button.current;
  // When it goes with the run, the focus does not fall to the page.
  useEffect(() => () => void (hadFocus.current && after()), []);
  return (
    <button
      type="button"
      className="button"
      ref={button}
      aria-disabled={isAsked}
      onClick={() => {
        if (isAsked) return;
        setAsked(runId);
        cancel().catch((error: unknown) => {
          setAsked(null);
          announce(texts.announce.notSent(wordsFor(error).detail), "assertive");
        });
      }}
    >
      {isAsked ? texts.chat.cancelling : texts.chat.cancel}
    </button>
  );
}

function Skeleton() {
  return (
    <div className="log-frame">
      <div className="log-inner skeleton" aria-hidden="true">
        <i className="short" />
        <i />
        <i />
        <i className="tall" />
      </div>
    </div>
  );
}

/** What cards may do here; the same object for as long as the chat is open, so that settled ones stay as drawn. */
function useCardTools(
  session: ReturnType<typeof useChat>,
  me: string | undefined,
  composer: { current: HTMLTextAreaElement | null },
  openSide: () => void,
): CardTools {
  const open = useRef(openSide);
  open.current = openSide;
  const goTo = useCallback((id: string) => {
    open.current();
    // Once the panel is drawn.
    setTimeout(() => document.getElementById(id)?.focus());
  }, []);
  return useMemo((): CardTools => {
    const sendFor =
      (message: MessageItem): SendCardAction =>
      async (action) => {
        if (action.type === "compose") compose(composer.current, action.text);
        else await session.sendCard(message, action);
      };
    return {
      me,
      sendFor,
      draftOf: (interactionId) => unsent(`interaction:${interactionId}`),
      onDraft: (interactionId, draft) => session.draft(interactionId, draft),
      openArtifact: (artifactId) => goTo(`artifact-${artifactId}`),
      goBeside: (message) => goTo(`card-${message.event_id}`),
    };
  }, [session, me]);
}

/** The one open question that takes any words; the server takes a message as its answer. */
function freeQuestion(waiting: readonly MessageItem[]): string | undefined {
  const [only, ...more] = waiting;
  const tool = only === undefined ? null : uiToolOf(only);
  if (tool === null || more.length > 0) return undefined;
  const body = cardBodyOf(tool.payload);
  if (body.kind !== "options" || (body.fields.options ?? []).length > 0) return undefined;
  return body.fields.question || cardTitleOf(tool);
}

/** What a person gave as the reason, not the code that stands where nobody gave one. */
function isSentence(reason: string | null | undefined): reason is string {
  return !!reason && !/^[a-z]+(_[a-z]+)+$/.test(reason);
}

function failure(error: JsonObject | null | undefined): string {
  const why = error?.["detail"] ?? error?.["title"];
  return typeof why === "string" ? texts.chat.failedWith(why) : texts.announce.failed;
}
