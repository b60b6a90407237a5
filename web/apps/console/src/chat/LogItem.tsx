// One entry of the conversation: a message, a card, or a tool call. Drawn again only when it changed.
import { cardTitleOf, isPending, type JsonObject, type MessageItem, type SendCardAction, uiToolOf } from "@sayso/core";
import { CardView, Markdown, ToolRow } from "@sayso/cards";
import { memo } from "react";
import { messages as texts } from "../messages.ts";
import type { LogEntry } from "./session.ts";

export interface CardTools {
  me: string | undefined;
  sendFor: (message: MessageItem) => SendCardAction;
  draftOf: (interactionId: string) => JsonObject | undefined;
  onDraft: (interactionId: string, draft: JsonObject) => void;
  openArtifact: (artifactId: string) => void;
  /** Goes to a card that stands beside the chat. */
  goBeside: (message: MessageItem) => void;
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
  if (entry.kind === "tool_call") {
    return (
      <div className="entry">
        <ToolRow call={entry} />
      </div>
    );
  }
  const tool = uiToolOf(entry);
  if (tool === null) return <Message message={entry} streaming={streaming} />;
  if (tool.display === "artifact") {
    return (
      <p className="entry aside-note">
        {texts.chat.shownBeside(cardTitleOf(tool))}{" "}
        <button type="button" className="link" onClick={() => tools.goBeside(entry)}>
          {texts.chat.goThere}
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
        draft={draft ?? tools.draftOf(message.event_id)}
        onDraft={(content) => tools.onDraft(message.event_id, content)}
        now={now}
        me={tools.me}
        openArtifact={tools.openArtifact}
      />
    </div>
  );
}

function Message({ message, streaming }: { message: MessageItem; streaming: boolean }) {
  switch (message.role) {
    case "user":
      return (
        <div className="entry said-by-you">
          <span className="unseen">{texts.chat.you}: </span>
          <p dir="auto">{message.content}</p>
          {message.status === "queued" && <small>{texts.chat.queued}</small>}
        </div>
      );
    case "system":
      return (
        <div className="entry aside-note" dir="auto">
          <span className="unseen">{texts.chat.system}: </span>
          {message.content}
        </div>
      );
    default:
      // Finished or still being written: the same element, so that nothing jumps when it is complete.
      return (
        <div className="entry said-by-agent">
          <span className="unseen">{message.agent_name || texts.chat.agent}: </span>
          <Markdown text={message.content} streaming={streaming} />
          {message.status === "interrupted" && <small>{texts.chat.interrupted}</small>}
        </div>
      );
  }
}
