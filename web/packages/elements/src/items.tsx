// Lists what waits as cards, oldest first.
import { announce, api, InteractionCard, serialQueue, newsOf, session, useNow, describeError } from "@sayso/console/parts";
import { type Interaction, isHold, statusWords, t, titleOf } from "@sayso/core";
import { useEffect, useRef, useState } from "react";
import { Placeholder, Slot } from "./card.tsx";
import { useHints } from "./hints.ts";
import type { Emit } from "./emit.ts";
import { useChatsHere } from "./onPage.ts";

interface Props {
  agent: string | undefined;
  mine: boolean;
  emit: Emit;
}

export function Items({ agent, mine, emit }: Props) {
  const [items, setItems] = useState<readonly Interaction[] | null>(null);
  const latest = useRef(items);
  const [enqueue] = useState(serialQueue);
  const isNext = useRef(false);
  const [me, setMe] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const now = useNow(15_000);
  const answering = useRef(new Set<string>());

  const known = useRef(new Set<string>());
  const isOurs = (one: Interaction) => agent === undefined || one.agent_name === agent;

  function set(next: readonly Interaction[]) {
    latest.current = next;
    setItems(next);
  }

  async function load() {
    const isFirst = latest.current === null;
    try {
      const { items: pending } = await api.interactions({ status: "pending", limit: 200, ...(mine ? { assignee: "me" } : {}) });
      if (me === undefined) setMe((await session()).person);
      setProblem(undefined);
      set(merged(latest.current ?? [], pending));
      sayNew(pending, isFirst);
      await catchUp(pending);
    } catch (error) {
      setProblem(describeError(error).detail);
    }
  }

  /** Announce each new card once; those of the first load are not news. */
  function sayNew(pending: readonly Interaction[], isFirst: boolean) {
    for (const one of pending) {
      if (!isFirst && isOurs(one) && !known.current.has(one.interaction_id)) announce(newsOf(titleOf(one), isHold(one)));
      known.current.add(one.interaction_id);
    }
  }

  /** A card that is no longer pending was settled elsewhere: it keeps its place and shows its receipt. */
  async function catchUp(pending: readonly Interaction[]) {
    const waiting = new Set(pending.map((one) => one.interaction_id));
    for (const old of latest.current ?? []) {
      if (old.status === "pending" && !waiting.has(old.interaction_id)) put(await api.interaction(old.interaction_id));
    }
  }

  function put(changed: Interaction) {
    const isIt = (one: Interaction) => one.interaction_id === changed.interaction_id;
    // Report the settlement once, on whichever read comes first.
    if (latest.current?.find(isIt)?.status !== "pending") return;
    set(latest.current.map((one) => (isIt(one) ? changed : one)));
    if (changed.status === "pending") return;
    emit.settled(changed);
    if (!answering.current.has(changed.interaction_id)) announce(`${titleOf(changed)} ${statusWords(changed.status)}`);
  }

  const newest = useRef(load);
  newest.current = load;
  /** Load again after the current load; one more load covers a whole burst of hints. */
  function loadNext() {
    if (isNext.current) return;
    isNext.current = true;
    void enqueue(() => {
      isNext.current = false;
      return newest.current();
    });
  }
  useHints(loadNext);
  useEffect(() => void (items !== null && loadNext()), [mine]);

  const beside = useChatsHere();
  const shown = (items ?? []).filter(isOurs);
  const waiting = shown.filter((one) => one.status === "pending" && !isHold(one)).length;
  useEffect(() => {
    if (items !== null) emit.waiting(waiting);
  }, [waiting, items === null]);

  if (items === null) return <Placeholder words={problem} />;
  if (shown.length === 0) return <Placeholder words={t("Nothing waits for you.")} />;
  return (
    <ul className="sy-items" aria-label={t("Inbox")}>
      {shown.map((one) => (
        <li key={one.interaction_id}>
          {beside.has(one.chat_id) && one.status === "pending" ? (
            <InTheChat interaction={one} chat={beside.get(one.chat_id) ?? null} />
          ) : (
            <Slot interaction={one}>
            <InteractionCard
              interaction={one}
              now={now}
              me={me}
              onChange={put}
              onAnswering={(id) => void answering.current.add(id)}
            />
          </Slot>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The same page shows the card in its chat; one card is answered at one place. */
function InTheChat({ interaction, chat }: { interaction: Interaction; chat: HTMLElement | null }) {
  const title = titleOf(interaction);
  return (
    <p className="sy-quiet">
      {t("“{title}” waits in the chat on this page.", { title })}{" "}
      <button type="button" className="sy-link" onClick={() => chat?.querySelector<HTMLElement>("[data-waits]")?.focus()}>
        {t("Go to it")}
        <span className="sy-hidden">: {title}</span>
      </button>
    </p>
  );
}

/** Keep rows in place and settled ones settled; append new ones, oldest first. */
function merged(before: readonly Interaction[], pending: readonly Interaction[]): Interaction[] {
  const now = new Map(pending.map((one) => [one.interaction_id, one]));
  const kept = before.map((one) => (one.status === "pending" ? (now.get(one.interaction_id) ?? one) : one));
  const known = new Set(before.map((one) => one.interaction_id));
  const fresh = pending.filter((one) => !known.has(one.interaction_id));
  return [...kept, ...fresh.sort((a, b) => a.created_at.localeCompare(b.created_at))];
}
