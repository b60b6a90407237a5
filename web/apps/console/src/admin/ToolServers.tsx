// The MCP servers of this application: how they stand, and which of their tools wait for an agreement.
import { type HeldTool, Problem, t, type ToolServer } from "@sayso/core";
import { useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { Failed } from "../frame/Failed.tsx";

export function ToolServers() {
  const [servers, setServers] = useState<readonly ToolServer[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);

  async function attempt(work: () => Promise<readonly ToolServer[]>) {
    try {
      setServers(await work());
      setProblem(null);
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
      return false;
    }
  }
  const load = () => attempt(api.toolServers);
  useEffect(() => void load(), []);

  async function agree(server: string, held: HeldTool) {
    if (!(await attempt(() => api.agreeToTool(server, held)))) return;
    announce(t("Agreed: {tool} of {server}", { tool: held.tool, server }));
    heading.current?.focus();
  }

  if (servers.length === 0 && problem === null) return null;
  return (
    <section aria-labelledby="admin-servers">
      <h3 id="admin-servers" ref={heading} tabIndex={-1}>
        {t("MCP servers")}
      </h3>
      {problem !== null && <Failed problem={problem} again={() => void load()} />}
      <ul className="admin-list">
        {servers.map((server) => (
          <li key={server.name}>
            <details open={server.held.length > 0}>
              <summary>
                <b dir="auto">{server.name}</b>
                <span className="quiet">
                  {[stateWords(server.state), server.protocol, t("{n, plural, one {# tool} other {# tools}}", { n: server.tools.length })].filter(Boolean).join(" · ")}
                </span>
                {server.held.length > 0 && <span className="admin-held">{t("{n, plural, one {# tool is held} other {# tools are held}}", { n: server.held.length })}</span>}
              </summary>
              <div className="admin-kept">
                {server.problem !== "" && <p dir="auto">{server.problem}</p>}
                {server.held.map((held) => (
                  <Held key={held.tool} held={held} agree={() => agree(server.name, held)} />
                ))}
                <h4>{t("Tools")}</h4>
                <p dir="auto">{server.tools.length === 0 ? t("none") : server.tools.join(", ")}</p>
              </div>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Held({ held, agree }: { held: HeldTool; agree: () => Promise<void> }) {
  const [isAgreeing, setAgreeing] = useState(false);
  const id = `held-${held.tool}`;

  async function press() {
    if (isAgreeing) return;
    setAgreeing(true);
    await agree();
    setAgreeing(false);
  }

  return (
    <section aria-labelledby={id}>
      <h4 id={id} dir="auto">
        {held.tool}
      </h4>
      <p>{held.is_new ? t("This tool is new. It is not called before you agree to it.") : t("This tool has changed. It is not called before you agree to the difference.")}</p>
      <ul className="admin-difference" aria-label={t("Difference")} tabIndex={0}>
        {held.difference.map((line, i) => (
          <li key={i} data-side={line[0] === "+" ? "now" : "before"}>
            <span className="unseen">{line[0] === "+" ? t("added:") : t("taken away:")}</span>
            <span aria-hidden="true">{line[0]}</span> <code dir="auto">{line.slice(2).trim()}</code>
          </li>
        ))}
      </ul>
      <p>
        <button type="button" className="button" aria-disabled={isAgreeing} onClick={() => void press()}>
          {t("Agree")}
          <span className="unseen">: {held.tool}</span>
        </button>
      </p>
    </section>
  );
}

function stateWords(state: string): string {
  switch (state) {
    case "ready":
      return t("connected");
    case "connecting":
      return t("connecting");
    case "away":
      return t("cannot be reached");
    default:
      return t("not used yet");
  }
}
