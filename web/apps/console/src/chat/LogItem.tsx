// One entry of the log: a message, a card, a tool call or a result. Memoised: it renders again only when it changed.
import { cardTitleOf, isPending, type JsonObject, type MessageItem, spokenText, type SendCardAction, uiToolOf, t } from "@sayso/core";
import { CardView, Markdown, ToolRow } from "@sayso/cards";
import { memo } from "react";
import { api } from "../browser.ts";
import { QueuedWords } from "./QueuedWords.tsx";
import { ResultCard } from "./ResultCard.tsx";
import type { LogEntry } from "./session.ts";
import type { ChatForUis } from "../toolUi/chatForUis.ts";
import { ToolUi } from "../toolUi/ToolUi.tsx";
import { useLanguage } from "../language.ts";

export interface CardTools extends ChatForUis {
  sendFor: (message: MessageItem) => SendCardAction;
  /** Return the draft of a card, given the one from another device. */
  draftOf: (interactionId: string, elsewhere: JsonObject | undefined) => JsonObject | undefined;
  onDraft: (interactionId: string, draft: JsonObject) => void;
  /** Take back words that wait for their turn, and write them anew. */
  withdraw: (message: MessageItem) => Promise<unknown>;
  openArtifact?: ((artifactId: string) => void) | undefined;
  /** Go to a card beside the chat. */
  goBeside?: ((message: MessageItem) => void) | undefined;
}

interface Props {
  entry: LogEntry;
  tools: CardTools;
  /** The draft from another device. */
  draft?: JsonObject | undefined;
  now: Date;
  /** A call that was approved and has not begun. */
  isHeld?: boolean;
  /** Still being written. */
  streaming?: boolean;
}

export const LogItem = memo(function LogItem({ entry, tools, draft, now, isHeld = false, streaming = false }: Props) {
  useLanguage();
  if (entry.kind === "tool_call") {
    return (
      <div className="entry">
        <ToolRow call={entry} isHeld={isHeld} />
        {entry.ui && <ToolUi call={entry} chat={tools} />}
      </div>
    );
  }
  if (entry.kind === "artifact") return <ResultCard artifact={entry} open={tools.openArtifact} now={now} />;
  const tool = uiToolOf(entry);
  if (tool === null) return <Message message={entry} streaming={streaming} tools={tools} />;
  const { goBeside } = tools;
  // Without a side panel, every card is drawn in the log.
  if (tool.display === "artifact" && goBeside !== undefined) {
    return (
      <p className="entry aside-note">
        {t("{title} is shown beside the chat.", { title: cardTitleOf(tool) })}{" "}
        <button type="button" className="link" onClick={() => goBeside(entry)}>
          {t("Go there")}
          <span className="unseen">: {cardTitleOf(tool)}</span>
        </button>
      </p>
    );
  }
  return <CardSlot message={entry} tools={tools} draft={draft} now={now} />;
});

/** The focusable slot of a card, in the log or beside it: the target of the shortcut and of "Go there". */
export function CardSlot({ message, tools, draft, now }: { message: MessageItem } & Pick<Props, "tools" | "draft" | "now">) {
  const tool = uiToolOf(message);
  const waits = isPending(message);
  return (
    <div
      className="entry card-slot"
      id={`card-${message.event_id}`}
      tabIndex={-1}
      role="group"
      aria-label={tool === null ? "" : cardTitleOf(tool)}
      {...(waits ? { "data-waits": "" } : {})}
    >
      <CardView
        message={message}
        send={tools.sendFor(message)}
        draft={tools.draftOf(message.event_id, draft)}
        onDraft={(content) => tools.onDraft(message.event_id, content)}
        now={now}
        me={tools.me}
        openArtifact={tools.openArtifact}
        loadResponse={answerTo}
        loadFile={api.file}
      loadLastChoice={api.lastChoice}
      />
    </div>
  );
}

/** The answer is stored with the interaction; a message only says how it ended. */
async function answerTo(interactionId: string) {
  return (await api.interaction(interactionId)).response ?? null;
}

/** Only the gate's own messages are translated; an agent's text stays as it is. */
function wordsOf({ content, metadata }: MessageItem): string {
  return spokenText(metadata) ?? content;
}

function Message({ message, streaming, tools }: { message: MessageItem; streaming: boolean; tools: CardTools }) {
  switch (message.role) {
    case "user":
      return (
        <div className="entry said-by-you">
          <span className="unseen">{t("You")}: </span>
          <p dir="auto" lang="">{message.content}</p>
          {message.status === "queued" && (
            <QueuedWords words={message.content} withdraw={() => tools.withdraw(message)} edit={tools.edit} />
          )}
          {message.status === "interrupted" && <small>{t("Withdrawn before the agent read it")}</small>}
        </div>
      );
    case "system":
      return (
        <div className="entry aside-note" dir="auto">
          <span className="unseen">{t("Note")}: </span>
          {message.content}
        </div>
      );
    default:
      // The same element for streaming and finished text, so that nothing jumps on completion.
      return (
        <div className="entry said-by-agent">
          {/* Those who listen go from answer to answer by it; the headings of the answer itself stand below. */}
          <h3 className="unseen">{message.agent_name || t("Agent")}</h3>
          <Markdown text={wordsOf(message)} streaming={streaming} />
          {message.status === "interrupted" && <small>{t("Stopped here")}</small>}
        </div>
      );
  }
}
