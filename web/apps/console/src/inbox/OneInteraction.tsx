// One interaction by its link, made for a phone: the card, and nothing else to get lost in.
import { type Interaction, Problem } from "@sayso/core";
import { useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { pageTitle, useNow, useTitle } from "../frame/hooks.ts";
import type { OverviewStore } from "../frame/overview.ts";
import { messages as texts } from "../messages.ts";
import { Link, pathTo } from "../router.tsx";
import { InteractionCard } from "./InteractionCard.tsx";

interface Props {
  id: string;
  overview: OverviewStore;
  waiting: number;
  me: string | undefined;
}

export function OneInteraction({ id, overview, waiting, me }: Props) {
  const now = useNow(15_000);
  const [interaction, setInteraction] = useState<Interaction | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const answering = useRef(false);
  const latest = useRef<Interaction | null>(null);
  latest.current = interaction;
  const title = interaction?.status === "pending" || interaction === null ? texts.interaction.title : texts.interaction.settledTitle;
  useTitle(pageTitle(interaction?.title || texts.interaction.title, waiting));

  useEffect(() => {
    async function load() {
      try {
        const next = await api.interaction(id);
        const was = latest.current;
        if (was?.status === "pending" && next.status !== "pending" && !answering.current) {
          announce(`${next.title} ${next.status}`);
        }
        setInteraction(next);
        setProblem(null);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        setProblem(error);
      }
    }
    void load();
    return overview.onHint((chatId) => {
      if (chatId === null || latest.current === null || latest.current.chat_id === chatId) void load();
    });
  }, [id]);

  if (interaction === null) {
    return (
      <div className="page narrow">
        <h2 tabIndex={-1}>{problem === null ? texts.loading : texts.interaction.missing}</h2>
        {problem !== null && <p>{problem.document.status === 404 ? texts.interaction.missingLead : problem.detail}</p>}
      </div>
    );
  }
  return (
    <div className="page narrow one">
      <h2 tabIndex={-1}>{title}</h2>
      <InteractionCard
        interaction={interaction}
        now={now}
        me={me}
        onChange={setInteraction}
        onAnswering={() => (answering.current = true)}
      />
      <p className="row-foot quiet">
        <span>{texts.inbox.from(interaction.agent_name)}</span>
        <Link to={pathTo.chat(interaction.chat_id)}>{texts.inbox.openChat}</Link>
      </p>
    </div>
  );
}
