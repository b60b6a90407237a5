// The fold: what you see of a chat is fold(durable events), with the text still being written drawn last.
// It mirrors src/sayso/testing/fold.py case by case; tests/vectors keeps the two equal.
import { idOf, type Item, reduceHead, reduceItem, type Target, targetsOf } from "./reduce.ts";
import type { ChatEvent, ChatView, LiveText } from "./wire/types.ts";
import type { TextDelta } from "./wire/read.ts";

type ListName = "messages" | "tool_calls" | "artifacts";
const LISTS = { message: "messages", tool_call: "tool_calls", artifact: "artifacts" } as const;

export function emptyView(id: string, appId = ""): ChatView {
  return {
    id,
    app_id: appId,
    seq: 0,
    log_id: "",
    agent: "",
    title: "",
    created_at: "",
    run: null,
    progress: null,
    requirements: null,
    preferences: {},
    messages: [],
    tool_calls: [],
    artifacts: [],
    live: [],
    before: null,
  };
}

/** Return the view after these events; events at or below an item's `as_of` change nothing. */
export function fold(view: ChatView, events: Iterable<ChatEvent>): ChatView {
  for (const event of events) view = apply(view, event);
  return view;
}

export function apply(view: ChatView, event: ChatEvent): ChatView {
  const head = reduceHead(view, event);
  const targets = targetsOf(event);
  // Text that a finished run left open and no message completed was never stored.
  if (targets.length === 0) return head !== view && endsTheRun(event) ? { ...head, live: [] } : head;
  const isKnown = event.seq <= view.seq;
  return targets.reduce((made, target) => withItem(made, event, target, isKnown), head);
}

/** Return the view with one item changed by the event. */
function withItem(head: ChatView, event: ChatEvent, target: Target, isKnown: boolean): ChatView {
  const list: ListName = LISTS[target.kind];
  const items: readonly Item[] = head[list];
  const place = items.findIndex((item) => idOf(item) === target.id);
  // If the view is as new as the event and the item is not in it, the item is on an older page.
  if (place < 0 && isKnown) return head;
  const next = reduceItem(items[place] ?? null, event);
  if (next === null) return head;
  const changed = place < 0 ? inOrder([...items, next]) : items.with(place, next);
  const live =
    event.type === "chat.message" ? head.live.filter((text) => text.message_id !== target.id) : head.live;
  return { ...head, [list]: changed, live };
}

/** Return the view with more of a text still being written, or null if a piece is missing and a sync is needed. */
export function overlay(view: ChatView, text: TextDelta | LiveText): ChatView | null {
  if (view.messages.some((item) => item.event_id === text.message_id)) return view;
  const known = view.live.find((entry) => entry.message_id === text.message_id);
  const whole = "offset" in text ? joined(known?.text ?? "", text) : longer(known?.text, text.text);
  if (whole === null) return null;
  const entry = { message_id: text.message_id, text: whole, agent_name: text.agent_name ?? null };
  const live =
    known === undefined ? [...view.live, entry] : view.live.map((other) => (other === known ? entry : other));
  return { ...view, live };
}

/**
 * The view with an older page laid under it; where both hold an item, the more current one stays.
 * `since` is what came while the page was on its way: the view had no such items to apply it to.
 */
export function mergePage(view: ChatView, older: ChatView, since: readonly ChatEvent[] = []): ChatView {
  return {
    ...view,
    before: older.before ?? null,
    messages: merged(view.messages, older.messages, since),
    tool_calls: merged(view.tool_calls, older.tool_calls, since),
    artifacts: merged(view.artifacts, older.artifacts, since),
  };
}

function endsTheRun(event: ChatEvent): boolean {
  return event.type === "chat.run" && ["completed", "failed", "cancelled"].includes(event.data.status);
}

/** Append the piece to `have`, or return null if something between them is missing. Offsets are code points. */
function joined(have: string, piece: TextDelta): string | null {
  const known = codePoints(have);
  if (piece.offset > known) return null;
  return have + afterCodePoints(piece.text, known - piece.offset);
}

function longer(known: string | undefined, text: string): string {
  return known === undefined || codePoints(text) >= codePoints(known) ? text : known;
}

const SURROGATE = /[\ud800-\udbff]/;

function codePoints(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function afterCodePoints(text: string, count: number): string {
  return SURROGATE.test(text) ? [...text].slice(count).join("") : text.slice(count);
}

function merged<T extends Item>(current: readonly T[], older: readonly T[], since: readonly ChatEvent[]): T[] {
  const byId = new Map(older.map((item) => [idOf(item), item]));
  for (const event of since) {
    for (const target of targetsOf(event)) {
      const item = byId.get(target.id);
      // An event about this kind of item returns the same kind.
      if (item !== undefined && item.kind === target.kind) byId.set(idOf(item), reduceItem(item, event) as T);
    }
  }
  for (const item of current) {
    const other = byId.get(idOf(item));
    if (other === undefined || other.as_of < item.as_of) byId.set(idOf(item), item);
  }
  return inOrder([...byId.values()]);
}

function inOrder<T extends Item>(items: T[]): T[] {
  return items.sort((a, b) => a.sequence - b.sequence);
}
