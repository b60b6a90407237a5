// What waits for a person, over all chats, oldest first. What is answered while one looks stays, as its receipt.
import type { Interaction } from "@sayso/core";
import { useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { pageTitle, useNow, useTitle } from "../frame/hooks.ts";
import type { Overview } from "../frame/overview.ts";
import { messages as texts } from "../messages.ts";
import { Link, pathTo } from "../router.tsx";
import { InteractionCard } from "./InteractionCard.tsx";

const KINDS = Object.keys(texts.inbox.kinds);

export function Inbox({ overview, refresh }: { overview: Overview; refresh: () => void }) {
  const now = useNow(15_000);
  const [rows, setRows] = useState<readonly Interaction[]>([]);
  const [kind, setKind] = useState<string>("all");
  const answering = useRef(new Set<string>());
  const first = useRef(true);
  const { pending } = overview;
  const waiting = rows.filter((row) => row.status === "pending");
  useTitle(pageTitle(texts.inbox.title, pending?.length ?? 0));

  const put = (changed: Interaction) =>
    setRows((old) => old.map((row) => (row.interaction_id === changed.interaction_id ? changed : row)));

  useEffect(() => {
    if (pending === null) return;
    const waits = new Map(pending.map((row) => [row.interaction_id, row]));
    const known = new Set(rows.map((row) => row.interaction_id));
    const fresh = pending.filter((row) => !known.has(row.interaction_id));
    // Rows keep their places, and what is settled stays so, whatever a list says that was read before; news come below.
    const current = (row: Interaction) => (row.status === "pending" ? (waits.get(row.interaction_id) ?? row) : row);
    setRows((old) => [...old.map(current), ...fresh]);
    if (first.current && pending.length > 0) announce(texts.announce.waiting(pending.length));
    else for (const row of fresh) announce(texts.announce.needsAnswer(row.title));
    first.current = false;
    for (const row of rows) {
      if (row.status === "pending" && !waits.has(row.interaction_id)) void settledElsewhere(row);
    }
  }, [pending]);

  async function settledElsewhere(row: Interaction) {
    if (answering.current.has(row.interaction_id)) return;
    try {
      const now = await api.interaction(row.interaction_id);
      put(now);
      announce(`${now.title} ${now.status}`);
    } catch {
      // It is asked for again with the next hint.
    }
  }

  const counts = new Map(KINDS.map((name) => [name, waiting.filter((row) => row.card === name).length]));
  const shownKinds = KINDS.filter((name) => (counts.get(name) ?? 0) > 0 || name === kind);
  const shown = rows.filter((row) => kind === "all" || row.card === kind);

  return (
    <div className="page inbox">
      <h2 tabIndex={-1}>{texts.inbox.title}</h2>
      <p className="quiet">{texts.inbox.lead}</p>
      {shownKinds.length > 1 && (
        <div className="filters" role="group" aria-label={texts.inbox.filter}>
          <Pill isOn={kind === "all"} press={() => setKind("all")}>{`${texts.inbox.all} ${waiting.length}`}</Pill>
          {shownKinds.map((name) => (
            <Pill key={name} isOn={kind === name} press={() => setKind(name)}>
              {`${texts.inbox.kinds[name]} ${counts.get(name) ?? 0}`}
            </Pill>
          ))}
        </div>
      )}
      {pending === null && overview.problem === null && <p className="quiet">{texts.loading}</p>}
      {overview.problem !== null && (
        <p className="notice">
          {overview.problem.detail}{" "}
          <button type="button" className="link" onClick={refresh}>
            {texts.tryAgain}
          </button>
        </p>
      )}
      {pending !== null && shown.length === 0 && (
        <div className="nothing">
          <p>{texts.inbox.empty}</p>
          <p className="quiet">{texts.inbox.emptyLead}</p>
        </div>
      )}
      <ul className="rows">
        {shown.map((row) => (
          <li key={row.interaction_id}>
            <InteractionCard
              interaction={row}
              now={now}
              me={overview.me}
              onChange={(changed) => {
                put(changed);
                refresh();
              }}
              onAnswering={(id) => void answering.current.add(id)}
            />
            <p className="row-foot quiet">
              <span>{texts.inbox.from(row.agent_name)}</span>
              <Link to={pathTo.chat(row.chat_id)}>
                {texts.inbox.openChat}
                <span className="unseen">: {row.title}</span>
              </Link>
              <Link to={pathTo.interaction(row.interaction_id)}>
                {texts.inbox.openOne}
                <span className="unseen">: {row.title}</span>
              </Link>
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Pill({ isOn, press, children }: { isOn: boolean; press: () => void; children: string }) {
  return (
    <button type="button" className="pill" aria-pressed={isOn} onClick={press}>
      {children}
    </button>
  );
}
