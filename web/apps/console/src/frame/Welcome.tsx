// The start page: a new chat begins with the person's first message.
import { type AgentSummary, t } from "@sayso/core";
import { useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { Composer } from "../chat/Composer.tsx";
import { Starters } from "../chat/Starters.tsx";
import { startedHere } from "../chat/startedHere.ts";
import { navigate, pathTo } from "../router.tsx";
import { pageTitle, useTitle, describeError } from "./hooks.ts";
import { Chat } from "./views.tsx";

export function Welcome({ waiting }: { waiting: number }) {
  const [agents, setAgents] = useState<AgentSummary[] | null>(null);
  const [chosen, setChosen] = useState("");
  const [problem, setProblem] = useState("");
  const box = useRef<HTMLTextAreaElement>(null);
  // If the message could not be sent, the next try reuses the chat that was created.
  const opened = useRef<{ agent: string; id: string } | null>(null);
  useTitle(pageTitle(t("New chat"), waiting));

  useEffect(() => {
    // The chat is the next view.
    Chat.preload().catch(() => undefined);
    api.agents().then(setAgents, (error: unknown) => setProblem(describeError(error).detail));
  }, []);

  const agent = chosen || (agents?.[0]?.name ?? "");
  return (
    <div className="page welcome">
      <h2 tabIndex={-1}>{t("What shall we do?")}</h2>
      <p className="quiet">{t("It asks you before doing anything important.")}</p>
      {problem !== "" && <p className="composer-error">{problem}</p>}
      {agents?.length === 0 && <p className="notice">{t("No agent is running here. Start one with “sayso serve module:app”.")}</p>}
      {agents !== null && agents.length > 1 && (
        <label className="row">
          {t("Agent")}
          <select value={agent} onChange={(event) => setChosen(event.currentTarget.value)}>
            {agents.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <Composer
        of="chat:new"
        placeholder={t("Write to the agent")}
        isConnected
        boxRef={box}
        send={async (words) => {
          if (opened.current?.agent !== agent) {
            const title = titleFor(words.content);
            const chat = await api.createChat(agent === "" ? { title } : { agent, title });
            opened.current = { agent, id: chat.id };
          }
          const { id } = opened.current;
          await api.message(id, words);
          startedHere.add(id);
          await Chat.preload().catch(() => undefined);
          navigate(pathTo.chat(id));
        }}
      />
      <Starters words={agents?.find(({ name }) => name === agent)?.starters ?? []} boxRef={box} />
    </div>
  );
}

const TITLE_CHARS = 60;

/** Title a chat by its first words, as a sentence, until someone renames it. */
function titleFor(content: string): string {
  const [line = ""] = content.trim().split("\n");
  const [first = "", ...rest] = line;
  const letters = [first.toLocaleUpperCase(), ...rest];
  if (letters.length <= TITLE_CHARS) return letters.join("");
  const cut = letters.slice(0, TITLE_CHARS).join("");
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), TITLE_CHARS / 2))}…`;
}
