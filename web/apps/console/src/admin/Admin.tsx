// For operators: what waits in all chats, as stored; the state of the audit log; the agents.
import { type AgentSummary, type Interaction, locales, Problem, t } from "@sayso/core";
import { Values } from "@sayso/cards";
import { useEffect, useState } from "react";
import { api } from "../browser.ts";
import { Failed, RowsSkeleton } from "../frame/Failed.tsx";
import { pageTitle, useTitle } from "../frame/hooks.ts";
import { type PageProps, waitingIn } from "../frame/overview.ts";
import { Link, pathTo } from "../router.tsx";
import { agentName } from "../words.ts";
import { Audit } from "./Audit.tsx";
import { ToolServers } from "./ToolServers.tsx";
import "./admin.css";

const PAGE = 50;

export function Admin({ overview, store }: PageProps) {
  useTitle(pageTitle(t("Admin"), waitingIn(overview)));
  if (overview.role !== undefined && overview.role !== "admin") {
    return (
      <div className="page narrow">
        <h2 tabIndex={-1}>{t("Admin")}</h2>
        <p>{t("This page is for people with the role admin. Yours is {role}.", { role: overview.role })}</p>
      </div>
    );
  }
  return (
    <div className="page wide admin">
      <h2 tabIndex={-1}>{t("Admin")}</h2>
      <p className="quiet">{t("Raw records on this server")}</p>
      <ToolServers />
      <Pending onHint={store.onHint} />
      <Audit />
      <Agents />
    </div>
  );
}

function Pending({ onHint }: { onHint: PageProps["store"]["onHint"] }) {
  const [rows, setRows] = useState<readonly Interaction[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);

  async function load(before?: string, limit = PAGE) {
    try {
      const page = await api.pendingUiTools({ ...(before === undefined ? {} : { before }), limit });
      setRows((old) => (before === undefined ? page.items : [...(old ?? []), ...page.items]));
      setNext(page.next as string | null);
      setProblem(null);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  }

  useEffect(() => {
    void load();
    let timer: ReturnType<typeof setTimeout> | null = null;
    const off = onHint(() => {
      timer ??= setTimeout(() => {
        timer = null;
        void load();
      }, 500);
    });
    return () => {
      off();
      if (timer !== null) clearTimeout(timer);
    };
  }, []);

  return (
    <section aria-labelledby="admin-pending">
      <h3 id="admin-pending">{t("Waiting requests")}</h3>
      {problem !== null && <Failed problem={problem} again={() => void load()} />}
      {rows === null && problem === null && <RowsSkeleton />}
      {rows?.length === 0 && <p className="quiet">{t("Nothing waits in any chat.")}</p>}
      <ul className="admin-list">
        {rows?.map((row) => (
          <li key={row.interaction_id}>
            <details>
              <summary>
                <b dir="auto">{row.title || row.ui_tool_id}</b>
                <span className="quiet">
                  {[...new Set([row.ui_tool_id, row.card]), agentName(row.agent_name), row.assignees.join(", "), instant(row.created_at)].filter(Boolean).join(" · ")}
                </span>
              </summary>
              <div className="admin-kept">
                <Values
                  values={{
                    interaction_id: row.interaction_id,
                    chat_id: row.chat_id,
                    run_id: row.run_id,
                    task_id: row.task_id,
                    tool_call_id: row.tool_call_id ?? null,
                    interaction_type: row.interaction_type,
                    display: row.display,
                    expires_at: row.expires_at ?? null,
                  }}
                />
                <h4 id={`payload-${row.interaction_id}`}>{t("Payload")}</h4>
                <pre tabIndex={0} role="region" aria-labelledby={`payload-${row.interaction_id}`}>
                  {JSON.stringify(row.payload, null, 2)}
                </pre>
                <p className="row-foot quiet">
                  <Link className="link" to={pathTo.chat(row.chat_id)}>
                    {t("Open the chat")}
                    <span className="unseen">: {row.title}</span>
                  </Link>
                  <Link className="link" to={pathTo.interaction(row.interaction_id)}>
                    {t("Link to this")}
                    <span className="unseen">: {row.title}</span>
                  </Link>
                </p>
              </div>
            </details>
          </li>
        ))}
      </ul>
      {next !== null && (
        <button type="button" className="button" onClick={() => void load(next)}>
          {t("Show more")}
        </button>
      )}
    </section>
  );
}

function Agents() {
  const [agents, setAgents] = useState<readonly AgentSummary[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const load = () =>
    api.agents().then(setAgents, (error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    });
  useEffect(() => void load(), []);
  return (
    <section aria-labelledby="admin-agents">
      <h3 id="admin-agents">{t("Agents")}</h3>
      {problem !== null && <Failed problem={problem} again={() => void load()} />}
      <ul className="admin-list">
        {agents?.map((agent) => (
          <li key={agent.name}>
            <details>
              <summary>
                <b>{agent.name}</b>
                <span className="quiet">
                  {agent.adapter} · {t("{n, plural, one {# tool} other {# tools}}", { n: agent.tools.length })}
                </span>
              </summary>
              <div className="admin-kept">
                <h4>{t("Tools")}</h4>
                <p>{agent.tools.length === 0 ? t("none") : agent.tools.join(", ")}</p>
                <h4>{t("Capabilities")}</h4>
                <Values values={agent.capabilities} />
              </div>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}

function instant(at: string): string {
  return new Date(at).toLocaleString(locales(), { dateStyle: "medium", timeStyle: "short" });
}
