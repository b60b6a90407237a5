// The log of a chat: messages, cards and tool calls in order, with loading of older pages.
import { cardMetaOf, type ChatView, isHold, isPending, type JsonObject, type LiveText, type MessageItem, messageText, t, uiToolOf } from "@sayso/core";
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { announce } from "../frame/announce.tsx";
import { describeError } from "../frame/hooks.ts";
import { runWords } from "../words.ts";
import { type CardTools, LogItem } from "./LogItem.tsx";
import { createLogParts, type Drawn, idOfDrawn } from "./logParts.ts";
import { entriesOf } from "./session.ts";
import { treeOf, useScroll } from "./useScroll.ts";

interface Props {
  view: ChatView;
  tools: CardTools;
  drafts: Readonly<Record<string, JsonObject>>;
  now: Date;
  loadOlder: () => Promise<boolean>;
}

export function Log({ view, tools, drafts, now, loadOlder }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const entries = useMemo(() => entriesOf(view), [view.messages, view.tool_calls, view.artifacts, view.before]);
  // One list, so that a streaming text keeps its element when it is complete.
  const drawn = useMemo(() => [...entries, ...view.live], [entries, view.live]);
  const [partsOf] = useState(createLogParts);
  const parts = useMemo(() => partsOf(drawn, view.before ?? null), [drawn, view.before]);
  const [older, setOlder] = useState<{ phase: "idle" | "loading" } | { phase: "failed"; why: string }>({ phase: "idle" });
  const scroll = useScroll(box, inner, view);
  // Receipts only need the day; only waiting cards need the minutes.
  const today = useMemo(() => now, [now.toDateString()]);
  const held = useMemo(() => heldCalls(view.messages), [view.messages]);
  const run = view.run ?? null;

  async function more() {
    if (older.phase === "loading") return;
    setOlder({ phase: "loading" });
    try {
      const loaded = await loadOlder();
      setOlder({ phase: "idle" });
      if (loaded && top.current?.contains(treeOf(top.current).activeElement)) announce(t("Earlier messages are shown"));
    } catch (error) {
      setOlder({ phase: "failed", why: describeError(error).detail });
    }
  }

  const loadMore = useRef(more);
  loadMore.current = more;
  const goesUp = useRef(false);
  goesUp.current = !scroll.isAtEnd;
  // Observe again after each page: after a short one the upper edge is still in view.
  useEffect(() => {
    const edge = top.current;
    if (edge === null || typeof IntersectionObserver === "undefined") return;
    const observer = new IntersectionObserver(
      // Only after scrolling up: otherwise short pages would load all of a long chat.
      ([entry]) => void (entry?.isIntersecting && goesUp.current && loadMore.current()),
      // Load a screen ahead.
      { root: box.current, rootMargin: "100% 0px 0px 0px" },
    );
    observer.observe(edge);
    return () => observer.disconnect();
  }, [view.before, scroll.isAtEnd]);

  // When everything is loaded the button disappears; keep the focus in the log.
  const hadFocus = useRef(false);
  hadFocus.current = top.current?.contains(treeOf(top.current).activeElement) ?? false;
  useLayoutEffect(() => {
    if (view.before == null && hadFocus.current) box.current?.focus({ preventScroll: true });
  }, [view.before]);

  return (
    <div className="log-frame">
      <div className="log" role="log" aria-live="off" aria-label={t("Conversation")} tabIndex={0} ref={box}>
        <div className="log-inner" ref={inner}>
          {view.before != null && (
            <div className="log-top" ref={top}>
              <button type="button" className="button quiet-button" aria-disabled={older.phase === "loading"} onClick={() => void more()}>
                {older.phase === "loading" ? t("Loading earlier messages…") : t("Show earlier messages")}
              </button>
              {older.phase === "failed" && <p className="composer-error">{older.why}</p>}
            </div>
          )}
          {drawn.length === 0 && <p className="quiet log-empty">{t("Nothing has been said yet.")}</p>}
          {parts.map((part, place) => (
            <Part
              key={part.key}
              entries={part.entries}
              tools={tools}
              drafts={drafts}
              held={held}
              now={part.entries.some(waitsFor) ? now : today}
              isLast={place === parts.length - 1}
            />
          ))}
          {run !== null && run.status === "running" && view.live.length === 0 && (
            // A new one below each entry: the same one pushed down would be a shift of the page.
            <p key={drawn.length} className="entry working" aria-hidden="true">
              {runWords("running")}
            </p>
          )}
          {run !== null && run.status === "ready" && isSentence(run.reason) && (
            <p className="entry run-end">{messageText(run, run.reason)}</p>
          )}
          {run !== null && run.status === "cancelled" && (
            <p className="entry run-end">
              {isSentence(run.reason) ? t("Stopped: {why}", { why: messageText(run, run.reason) }) : runWords("cancelled")}
            </p>
          )}
        </div>
      </div>
      <div className="log-jumps">
        {!scroll.isAtEnd && (
          <button type="button" className="button" onClick={scroll.toEnd}>
            {t("Jump to the latest")}
          </button>
        )}
      </div>
    </div>
  );
}

interface PartProps {
  entries: readonly Drawn[];
  tools: CardTools;
  drafts: Readonly<Record<string, JsonObject>>;
  held: string;
  now: Date;
  /** Here it goes on. */
  isLast: boolean;
}

const Part = memo(function Part({ entries, tools, drafts, held, now, isLast }: PartProps) {
  // Skip rendering out of sight only after the first layout: then its height is known and nothing jumps.
  const [isLaidOut, setLaidOut] = useState(false);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setLaidOut(true));
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <div className="log-part" data-rests={isLaidOut && !isLast ? "" : undefined}>
      {entries.map((entry) => {
        const id = idOfDrawn(entry);
        if ("kind" in entry) return <LogItem key={id} entry={entry} tools={tools} draft={drafts[id]} isHeld={held.includes(` ${id} `)} now={now} />;
        return <LogItem key={id} entry={asMessage(entry)} tools={tools} now={now} streaming />;
      })}
    </div>
  );
});

/** The ids of the calls that were approved and have not begun: as a text, which is the same as long as they are. */
function heldCalls(messages: readonly MessageItem[]): string {
  const tools = messages.map(uiToolOf).filter((tool) => tool?.ui_tool_status === "pending" && isHold(tool));
  return tools.map((tool) => ` ${cardMetaOf(tool?.payload ?? {}).tool_call_id} `).join("");
}

const waitsFor = (entry: Drawn) => "kind" in entry && entry.kind === "message" && isPending(entry);

/** A streaming text, drawn like the message it will become. */
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

/** Return the reason a person gave, not the default code. */
function isSentence(reason: string | null | undefined): reason is string {
  return !!reason && !/^[a-z]+(_[a-z]+)+$/.test(reason);
}
