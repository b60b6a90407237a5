// A chat in somebody's page: what was said, and where to write. It begins with the first message.
import {
  AskedChoices,
  Badge,
  begunHere,
  CancelButton,
  Composer,
  ConnectionBanner,
  freeQuestion,
  isRunOpen,
  Known,
  Log,
  pendingOf,
  LogSkeleton,
  Starters,
  useAnnouncements,
  useCardTools,
  useChat,
  useChatState,
  useLostConnection,
  useOutOfSight,
  type Words,
} from "@sayso/console/chat";
import { api, session as whoLooks, useNow } from "@sayso/console/parts";
import { actionsOf, askedChoices, t } from "@sayso/core";
import { useEffect, useRef, useState } from "react";

interface Props {
  chatId: string | null;
  agent: string | undefined;
  begun: (chatId: string) => void;
}

export function Conversation({ chatId, agent, begun }: Props) {
  return chatId === null ? <Beginning agent={agent} begun={begun} /> : <Chat key={chatId} chatId={chatId} />;
}

function Beginning({ agent, begun }: Omit<Props, "chatId">) {
  const box = useRef<HTMLTextAreaElement>(null);
  // A chat that was opened and could not be written to is used by the next try.
  const opened = useRef<string | null>(null);
  async function begin(words: Words) {
    opened.current ??= (await api.createChat(agent === undefined ? {} : { agent })).id;
    await api.message(opened.current, words);
    begunHere.add(opened.current);
    begun(opened.current);
  }
  const [starters, setStarters] = useState<readonly string[]>([]);
  useEffect(() => {
    // Without them one begins in one's own words; what is wrong is told when these are sent.
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
        runIsOpen={false}
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
  const tools = useCardTools(session, me, composer);
  useAnnouncements(state, session.answeredHere, now);
  const isLost = useLostConnection(state);
  const { view, connection } = state;
  const waiting = pendingOf(view?.messages ?? []);
  const place = useRef<HTMLDivElement>(null);
  const outOfSight = useOutOfSight(waiting, place);
  const [knownIsOpen, setKnownIsOpen] = useState(false);
  useEffect(() => {
    // Whoever has just begun it writes on.
    if (begunHere.has(chatId)) composer.current?.focus();
  }, [chatId]);

  if (view === null && connection.state === "closed") return <p className="sy-quiet">{connection.problem?.detail}</p>;
  const run = view?.run ?? null;
  const requirements = view?.requirements ?? null;
  const asked = isRunOpen(run?.status) ? [] : askedChoices(actionsOf(requirements));
  const focusComposer = () => composer.current?.focus();
  return (
    <div className="guest" ref={place} data-known={requirements === null ? "none" : knownIsOpen ? "open" : "folded"}>
      <div className="chat-main">
        {requirements !== null && (
          <p className="guest-turn">
            <button type="button" className="button" aria-expanded={knownIsOpen} aria-controls="known" onClick={() => setKnownIsOpen(!knownIsOpen)}>
              {knownIsOpen ? t("Back to the chat") : t("What is known")}
              {knownIsOpen && outOfSight > 0 && <Badge waiting={outOfSight} />}
            </button>
          </p>
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
            outOfSight={outOfSight}
            loadOlder={() => session.loadOlder()}
          />
        )}
        {isRunOpen(run?.status) && (
          <p className="chat-cancel">
            <CancelButton
              cancel={() => session.client.cancel()}
              runId={run?.run_id ?? ""}
              after={focusComposer}
            />
          </p>
        )}
        {asked.length > 0 && <AskedChoices fields={asked} send={(words) => session.client.message(words)} after={focusComposer} />}
        <Composer
          of={`chat:${chatId}`}
          send={(words) => session.client.message(words)}
          runIsOpen={isRunOpen(run?.status)}
          answers={freeQuestion(waiting)}
          placeholder={t("Write to the agent")}
          isConnected={!isLost}
          boxRef={composer}
        />
      </div>
      {requirements !== null && (
        <section className="side" id="known" aria-label={t("What is known")}>
          <Known chatId={chatId} requirements={requirements} />
        </section>
      )}
    </div>
  );
}

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
