// The audit log: whether its hash chain is intact, and its entries.
import { type AuditEntry, locales, Problem, t } from "@sayso/core";
import { useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { Failed } from "../frame/Failed.tsx";
import { useQuery } from "../frame/query.ts";
import { Search } from "../frame/Search.tsx";
import { Link, pathTo } from "../router.tsx";
import { shownWords } from "../words.ts";

const PAGE = 20;

type Checked = Awaited<ReturnType<typeof api.verifyAudit>>;

export function Audit() {
  const [checked, setChecked] = useState<Checked | null>(null);
  const [isChecking, setChecking] = useState(false);
  const [entries, setEntries] = useState<readonly AuditEntry[] | null>(null);
  const [next, setNext] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [query, setQuery] = useQuery();
  const chat = query["chat"];
  const latest = useRef(chat);
  latest.current = chat;
  const isFirst = useRef(true);
  const heading = useRef<HTMLHeadingElement>(null);

  async function attempt(work: () => Promise<void>) {
    try {
      await work();
      setProblem(null);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  }

  const load = (before?: number) =>
    attempt(async () => {
      const page = await api.audit({ ...(chat === undefined ? {} : { chat }), ...(before === undefined ? {} : { before }), limit: PAGE });
      if (latest.current !== chat) return;
      setEntries((old) => (before === undefined ? page.items : [...(old ?? []), ...page.items]));
      setNext(page.next as number | null);
      if (!isFirst.current) announce(shownWords(page.items.length));
      isFirst.current = false;
    });

  /** The last part of a chat's URL. */
  const showOnly = (id: string) => setQuery({ chat: id.split("/").at(-1) ?? "" });

  function showAll() {
    showOnly("");
    heading.current?.focus();
  }

  async function check() {
    if (isChecking) return;
    setChecking(true);
    await attempt(async () => {
      const report = await api.verifyAudit();
      setChecked(report);
      announce(resultWords(report), report.intact ? "polite" : "assertive");
    });
    setChecking(false);
  }

  // Keep the old rows until the new ones have loaded.
  useEffect(() => void load(), [chat]);

  return (
    <section aria-labelledby="admin-audit">
      <h3 id="admin-audit" ref={heading} tabIndex={-1}>{t("Audit log")}</h3>
      {problem !== null && <Failed problem={problem} again={() => void load()} />}
      <p className="row">
        <button type="button" className="button" aria-disabled={isChecking} onClick={() => void check()}>
          {isChecking ? t("Checking…") : t("Verify audit log")}
        </button>
        {checked?.intact === true && <span className="admin-ok">✓ {resultWords(checked)}</span>}
      </p>
      {checked?.intact === false && (
        <div className="notice">
          <p>{resultWords(checked)}</p>
          <ul>
            {brokenChats(checked).map(({ chat_id, number }) => (
              <li key={chat_id}>
                <Link to={pathTo.chat(chat_id)}>{lineWords({ number, chat_id })}</Link>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className="picks" role="group" aria-label={t("Filter")}>
        <Search label={t("Chat")} value={chat ?? ""} onChange={showOnly} />
        {chat !== undefined && (
          <button type="button" className="button" onClick={showAll}>
            {t("Show all chats")}
          </button>
        )}
      </div>
      {entries?.length === 0 && (
        <p className="quiet">{chat === undefined ? t("Nothing has been recorded yet.") : t("Nothing is recorded of this chat.")}</p>
      )}
      <ul className="admin-list">
        {entries?.map((entry) => (
          <li key={entry.position}>
            <details>
              <summary>
                <b dir="auto">{entry.ledger.what}</b>
                <span dir="auto">{[entry.ledger.decision, entry.ledger.outcome].filter((words) => words !== null).join(" · ")}</span>
                <span className="quiet">
                  {[entry.ledger.who ?? t("nobody"), new Date(entry.at).toLocaleString(locales(), { dateStyle: "medium", timeStyle: "medium" })].join(" · ")}
                </span>
              </summary>
              <div className="admin-kept">
                <pre tabIndex={0} role="region" aria-label={lineWords(entry)}>
                  {JSON.stringify(entry, null, 2)}
                </pre>
                <p className="row-foot quiet">
                  <Link className="link" to={pathTo.chat(entry.chat_id)}>
                    {t("Open the chat")}
                    <span className="unseen">: {lineWords(entry)}</span>
                  </Link>
                  <button type="button" className="link" onClick={() => showOnly(entry.chat_id)}>
                    {t("Only this chat")}
                    <span className="unseen">: {lineWords(entry)}</span>
                  </button>
                </p>
              </div>
            </details>
          </li>
        ))}
      </ul>
      {next !== null && (
        <button type="button" className="button" onClick={() => void load(next)}>
          {t("Show earlier lines")}
        </button>
      )}
    </section>
  );
}

const lineWords = ({ number, chat_id: chat }: Pick<AuditEntry, "number" | "chat_id">) => t("Line {number} of chat {chat}", { number, chat });
const brokenChats = ({ broken }: Checked) => broken.filter(({ chat_id }) => chat_id !== "");

function resultWords(checked: Checked): string {
  if (checked.intact) return t("Intact: every line fits the one before it.");
  if (checked.result === "unsealed_tail") return t("The newest lines should have been sealed by now: more of them may be missing.");
  if (checked.result === "not_checkable") return t("Some lines cannot be checked: their key is not here, or they are older than any key.");
  const chats = brokenChats(checked).length;
  return chats > 0 ? brokenWords(chats) : t("The seals of the audit log were changed.");
}

const brokenWords = (n: number) =>
  t("{n, plural, one {# chat has a line that does not fit the one before it.} other {# chats have a line that does not fit the one before it.}}", { n });
