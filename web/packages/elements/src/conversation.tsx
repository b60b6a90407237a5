// An embedded chat: the log and the composer, and beside it results and what is known. The chat is created with the first message.
import {
  AskedChoices,
  Badge,
  startedHere,
  Composer,
  ConnectionBanner,
  hasSide,
  isRunOpen,
  Log,
  pendingOf,
  press,
  purposeOf,
  sideLabel,
  SidePanel,
  StopButton,
  treeOf,
  WaitingButton,
  LogSkeleton,
  Starters,
  ToolUiNotes,
  useAnnouncements,
  useCardTools,
  useChat,
  useChatState,
  useLostConnection,
  useOutOfSight,
  useSide,
  type Words,
} from "@sayso/console/chat";
import { api, session as whoLooks, useNow } from "@sayso/console/parts";
import { actionsOf, askedChoices, type MessageItem, t } from "@sayso/core";
import { useEffect, useRef, useState } from "react";
import { useShowsChat } from "./onPage.ts";

interface Props {
  chatId: string | null;
  agent: string | undefined;
  onStarted: (chatId: string) => void;
}

export function Conversation({ chatId, agent, onStarted }: Props) {
  return chatId === null ? <Beginning agent={agent} onStarted={onStarted} /> : <Chat key={chatId} chatId={chatId} />;
}

function Beginning({ agent, onStarted }: Omit<Props, "chatId">) {
  const box = useRef<HTMLTextAreaElement>(null);
  // If the message could not be sent, the next try reuses the chat that was created.
  const opened = useRef<string | null>(null);
  async function begin(words: Words) {
    opened.current ??= (await api.createChat(agent === undefined ? {} : { agent })).id;
    await api.message(opened.current, words);
    startedHere.add(opened.current);
    onStarted(opened.current);
  }
  const [starters, setStarters] = useState<readonly string[]>([]);
  useEffect(() => {
    // Starters are optional; if the server has a problem, sending a message will show it.
    api.agents().then(
      (all) => setStarters(all.find(({ name }, place) => (agent === undefined ? place === 0 : name === agent))?.starters ?? []),
      () => undefined,
    );
  }, [agent]);
  return (
    <div className="chat-main">
      <div className="log-frame" />
      <Starters words={starters} boxRef={box} />
      <Composer
        of="chat:new"
        send={begin}
        placeholder={t("Write to the agent")}
        isConnected
        boxRef={box}
      />
    </div>
  );
}

function Chat({ chatId }: { chatId: string }) {
  const session = useChat(chatId);
  const state = useChatState(session);
  const now = useNow(15_000);
  const composer = useRef<HTMLTextAreaElement>(null);
  const me = useMe();
  useAnnouncements(state, session.answeredHere, now);
  const isLost = useLostConnection(state);
  const { view, connection } = state;
  const waiting = pendingOf(view?.messages ?? []);
  const place = useRef<HTMLDivElement>(null);
  const panel = useSide(place);
  const tools = useCardTools(session, me, composer, panel.goTo);
  useShowsChat(chatId, place);
  const outOfSight = useOutOfSight(waiting, place);
  useEffect(() => {
    // The person has just started this chat and keeps writing.
    if (startedHere.has(chatId)) composer.current?.focus();
  }, [chatId]);

  if (view === null && connection.state === "closed") return <p className="sy-quiet">{connection.problem?.detail}</p>;
  const run = view?.run ?? null;
  const requirements = view?.requirements ?? null;
  const asked = isRunOpen(run?.status) ? [] : askedChoices(actionsOf(requirements));
  const focusComposer = () => composer.current?.focus();
  const side = { chatId, requirements, progress: null, cards: NONE, artifacts: view?.artifacts ?? [] };
  // A result is shown when somebody opens it: nothing in the host's page moves by itself.
  const folds = panel.isOpen ? "open" : requirements === null ? "none" : "folded";
  return (
    <div className="guest" ref={place} data-side={folds}>
      <div className="chat-main">
        {folds !== "none" && (
          <p className="guest-turn" {...(requirements === null ? { "data-closes": "" } : {})}>
            <button type="button" className="button" aria-expanded={panel.isOpen} aria-controls="side" onClick={panel.isOpen ? panel.leave : panel.open}>
              {panel.isOpen ? t("Back to the chat") : sideLabel(side)}
              {panel.isOpen && outOfSight > 0 && <Badge waiting={outOfSight} />}
            </button>
          </p>
        )}
        {isRunOpen(run?.status) && (
          <div className="guest-run">
            <WaitingButton waiting={waiting.length} />
            <StopButton
              cancel={() => session.client.cancel()}
              runId={run?.run_id ?? ""}
              waiting={waiting}
              after={focusComposer}
            />
          </div>
        )}
        <ConnectionBanner connection={connection} retry={() => session.client.wake()} />
        {view === null ? (
          <LogSkeleton />
        ) : (
          <Log
            view={view}
            tools={tools}
            drafts={state.drafts}
            now={now}
            loadOlder={() => session.loadOlder()}
          />
        )}
        {asked.length > 0 && <AskedChoices fields={asked} send={session.say} after={focusComposer} />}
        <ToolUiNotes notes={session.notes} />
        <Composer
          of={`chat:${chatId}`}
          send={session.say}
          purpose={purposeOf(waiting, isRunOpen(run?.status))}
          decide={(id, verdict) => press(treeOf(place.current), id, verdict)}
          placeholder={t("Write to the agent")}
          isConnected={!isLost}
          boxRef={composer}
        />
      </div>
      {hasSide(side) && (
        <section className="side" id="side" tabIndex={-1} aria-label={sideLabel(side)} onKeyDown={panel.onKeyDown}>
          <SidePanel {...side} run={run} tools={tools} drafts={state.drafts} now={now} />
        </section>
      )}
    </div>
  );
}

/** Every card stands in the log. */
const NONE: readonly MessageItem[] = [];

function useMe(): string | undefined {
  const [me, setMe] = useState<string>();
  useEffect(() => {
    whoLooks().then(
      ({ person }) => setMe(person),
      () => undefined,
    );
  }, []);
  return me;
}
