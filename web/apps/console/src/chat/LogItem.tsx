// One entry of the conversation: a message, a card, or a tool call. Drawn again only when it changed.
import { cardTitleOf, isPending, type JsonObject, type MessageItem, replyWords, type SendCardAction, uiToolOf, t } from "@sayso/core";
import { CardView, Markdown, ToolRow } from "@sayso/cards";
import { memo } from "react";
import { api } from "../browser.ts";
import type { LogEntry } from "./session.ts";
import { useLanguage } from "../language.ts";

export interface CardTools {
  me: string | undefined;
  sendFor: (message: MessageItem) => SendCardAction;
  /** What stands in a card, given what was typed into it on another device. */
  draftOf: (interactionId: string, elsewhere: JsonObject | undefined) => JsonObject | undefined;
  onDraft: (interactionId: string, draft: JsonObject) => void;
  openArtifact?: ((artifactId: string) => void) | undefined;
  /** Goes to a card that stands beside the chat. */
  goBeside?: ((message: MessageItem) => void) | undefined;
}

interface Props {
  entry: LogEntry;
  tools: CardTools;
  /** What was typed into it elsewhere; new only for the card it belongs to. */
  draft?: JsonObject | undefined;
  now: Date;
  /** Still being written. */
  streaming?: boolean;
}

export const LogItem = memo(function LogItem({ entry, tools, draft, now, streaming = false }: Props) {
  useLanguage();
  if (entry.kind === "tool_call") {
    return (
      <div className="entry">
        <ToolRow call={entry} />
      </div>
    );
  }
  const tool = uiToolOf(entry);
  if (tool === null) return <Message message={entry} streaming={streaming} />;
  const { goBeside } = tools;
  // Where nothing stands beside the chat, every card stands in it.
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

/** Where a card stands, whether in the log or beside it: the shortcut and "go to it" focus this. */
export function CardSlot({ message, tools, draft, now }: { message: MessageItem } & Omit<Props, "entry" | "streaming">) {
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
      />
    </div>
  );
}

/** What was answered stands with the interaction; a message only tells how it ended. */
async function answerTo(interactionId: string) {
  return (await api.interaction(interactionId)).response ?? null;
}

/** A gate's own words, which only its messages may hold; an agent's stay as they are. */
function wordsOf({ content, metadata }: MessageItem): string {
  return "requirements_status" in metadata ? replyWords(content) : content;
}

function Message({ message, streaming }: { message: MessageItem; streaming: boolean }) {
  switch (message.role) {
    case "user":
      return (
        <div className="entry said-by-you">
          <span className="unseen">{t("You")}: </span>
          <p dir="auto" lang="">{message.content}</p>
          {message.status === "queued" && <small>{t("Waits until the agent is done")}</small>}
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
      // Finished or still being written: the same element, so that nothing jumps when it is complete.
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
