// The view of one chat: log, side panel and composer.
import { actionsOf, askedChoices, type MessageItem, t, uiToolOf } from "@sayso/core";
import { useRef } from "react";
import { pageTitle, useNow, useTitle } from "../frame/hooks.ts";
import { Badge } from "../frame/Badge.tsx";
import { LogSkeleton } from "../frame/lazyComponent.tsx";
import { Link, pathTo } from "../router.tsx";
import { AskedChoices } from "./AskedChoices.tsx";
import { useCardTools } from "./cardTools.ts";
import { ChatHeader } from "./ChatHeader.tsx";
import { Composer } from "./Composer.tsx";
import { ASK_AGENT } from "../words.ts";
import { ConnectionBanner } from "./ConnectionBanner.tsx";
import { Log } from "./Log.tsx";
import { press, purposeOf } from "./purpose.ts";
import { isRunOpen, pendingOf, useChat, useChatState } from "./session.ts";
import { hasSide, onlyKnown, sideLabel, SidePanel } from "./SidePanel.tsx";
import { StopButton } from "./StopButton.tsx";
import { ToolUiNotes } from "../toolUi/ToolUiNotes.tsx";
import { useOutOfSight } from "./useOutOfSight.ts";
import { useSide } from "./useSide.ts";
import { useAnnouncements, useLostConnection } from "./useAnnouncements.ts";
import { WaitingButton } from "./WaitingButton.tsx";

interface Props {
  chatId: string;
  /** The count over all chats, for the page title. */
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
  const name = view?.title || t("New chat");
  useTitle(pageTitle(name, waitingInAll));

  const composer = useRef<HTMLTextAreaElement>(null);
  const waiting = pendingOf(view?.messages ?? []);
  const place = useRef<HTMLDivElement>(null);
  const outOfSight = useOutOfSight(waiting, place);
  const panel = useSide(place);
  const tools = useCardTools(session, me, composer, panel.goTo, panel.goTo);

  if (view === null && connection.state === "closed") {
    return (
      <div className="page narrow">
        <h2 tabIndex={-1}>{t("This chat cannot be opened")}</h2>
        <p>{connection.problem?.detail}</p>
        <p className="quiet">{connection.problem?.fix}</p>
        <Link to={pathTo.welcome}>{t("Go to your chats")}</Link>
      </div>
    );
  }

  const run = view?.run ?? null;
  const beside = (view?.messages ?? []).filter(isBeside);
  const requirements = view?.requirements ?? null;
  const asked = isRunOpen(run?.status) ? [] : askedChoices(actionsOf(requirements));
  const side = { chatId, requirements, progress: view?.progress ?? null, cards: beside, artifacts: view?.artifacts ?? [] };
  const withSide = hasSide(side);

  return (
    <div className="chat" ref={place} data-side={withSide ? (panel.isOpen ? "open" : "closed") : "none"}>
      <div className="chat-main">
        <ChatHeader view={view} name={name}>
          <WaitingButton waiting={waiting.length} />
          {withSide && (
            <button
              type="button"
              className="button side-button"
              aria-expanded={panel.isOpen}
              aria-controls="side"
              onClick={panel.isOpen ? panel.leave : panel.open}
            >
              {panel.isOpen ? t("Back to the chat") : sideLabel(side)}
              {outOfSight > 0 && (panel.isOpen || waiting.some(isBeside)) && <Badge waiting={outOfSight} />}
            </button>
          )}
          {isRunOpen(run?.status) && (
            <StopButton
              cancel={() => session.client.cancel()}
              runId={run?.run_id ?? ""}
              waiting={waiting}
              after={() => composer.current?.focus()}
            />
          )}
        </ChatHeader>
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
        {asked.length > 0 && (
          <AskedChoices
            fields={asked}
            send={session.say}
            after={() => composer.current?.focus()}
          />
        )}
        <ToolUiNotes notes={session.notes} />
        {/* In the chat of an ask from outside nobody reads messages. */}
        {view?.agent !== ASK_AGENT && <Composer
          of={`chat:${chatId}`}
          send={session.say}
          purpose={purposeOf(waiting, isRunOpen(run?.status))}
          decide={(id, verdict) => press(document, id, verdict)}
          placeholder={t("Write to the agent")}
          isConnected={!isLost}
          boxRef={composer}
        />}
      </div>
      {withSide && (
        <aside className="side" id="side" tabIndex={-1} onKeyDown={panel.onKeyDown} aria-label={onlyKnown(side) ? t("What is known") : t("Progress and results")}>
          <SidePanel {...side} run={run} tools={tools} drafts={state.drafts} now={now} />
        </aside>
      )}
    </div>
  );
}

const isBeside = (message: MessageItem) => uiToolOf(message)?.display === "artifact";
