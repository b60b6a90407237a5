// The header of a chat: its title, which can be edited in place, its agent and the state of the run.
import { type ChatView, isPending, t } from "@sayso/core";
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { addressOf, api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { describeError } from "../frame/hooks.ts";
import { agentName, runWords } from "../words.ts";

interface Props {
  /** Null while loading. */
  view: ChatView | null;
  name: string;
  /** Actions on the whole chat. */
  children: ReactNode;
}

export function ChatHeader({ view, name, children }: Props) {
  const run = view?.run ?? null;
  // What stands behind a name that is still to come would be pushed aside by it.
  const isNamed = Boolean(view?.title);
  return (
    <header className="top">
      <div className="top-words">
        {view === null ? <h2 tabIndex={-1}>{t("Loading…")}</h2> : <ChatName chatId={view.id} name={name} canRename={isNamed} />}
        <p className="quiet">
          {view?.agent && <span className="agent-name">{agentName(view.agent)}</span>}
          {view !== null && run !== null && <span>{isHeldBack(view) ? t("Approved, not begun") : runWords(run.status)}</span>}
          {view !== null && isNamed && (
            <a className="chat-export" href={addressOf(`/api/chats/${encodeURIComponent(view.id)}/export`)} download>
              {t("Export")}
              <span className="unseen">: {name}</span>
            </a>
          )}
        </p>
      </div>
      {children}
    </header>
  );
}

/** It waits, and for nobody: for the time to be over in which a yes can be taken back. */
function isHeldBack({ run, messages }: ChatView): boolean {
  return run?.status === "waiting" && !messages.some(isPending);
}

type Naming = { phase: "reading" } | { phase: "writing" | "saving"; title: string; problem: string };

function ChatName({ chatId, name, canRename }: { chatId: string; name: string; canRename: boolean }) {
  const [naming, setNaming] = useState<Naming>({ phase: "reading" });
  const isReading = naming.phase === "reading";
  const wasReading = useRef(true);
  const button = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();

  // Synchronously, before the next key press.
  useLayoutEffect(() => {
    if (wasReading.current === isReading) return;
    wasReading.current = isReading;
    if (isReading) button.current?.focus();
    else field.current?.select();
  }, [isReading]);

  async function save(title: string) {
    if (title === "" || title === name) return setNaming({ phase: "reading" });
    setNaming({ phase: "saving", title, problem: "" });
    try {
      // The new title arrives over the log, as for everyone else.
      await api.rename(chatId, title);
      announce(t("The chat is now called {title}", { title }));
      setNaming({ phase: "reading" });
    } catch (error) {
      const { detail } = describeError(error);
      announce(t("Not sent. {why}", { why: detail }), "assertive");
      setNaming({ phase: "writing", title, problem: detail });
    }
  }

  if (naming.phase === "reading") {
    return (
      <div className="chat-name">
        <h2 tabIndex={-1} dir="auto">
          {name}
        </h2>
        {canRename && (
          <button
            type="button"
            className="link"
            ref={button}
            onClick={() => setNaming({ phase: "writing", title: name, problem: "" })}
          >
            {t("Rename")}
            <span className="unseen">: {name}</span>
          </button>
        )}
      </div>
    );
  }
  return (
    <>
      <h2 className="unseen">{name}</h2>
      <form
        className="chat-name"
        onSubmit={(event) => {
          event.preventDefault();
          if (naming.phase === "writing") void save(naming.title.trim());
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape" && naming.phase === "writing") setNaming({ phase: "reading" });
        }}
      >
        <label className="unseen" htmlFor={id}>
          {t("Name of this chat")}
        </label>
        <input
          id={id}
          ref={field}
          dir="auto"
          autoComplete="off"
          maxLength={500}
          value={naming.title}
          readOnly={naming.phase === "saving"}
          aria-invalid={naming.problem !== ""}
          {...(naming.problem === "" ? {} : { "aria-describedby": `${id}-problem` })}
          onInput={(event) => setNaming({ phase: "writing", title: event.currentTarget.value, problem: "" })}
        />
        <button type="submit" className="button go" aria-disabled={naming.phase === "saving"}>
          {naming.phase === "saving" ? t("Saving…") : t("Save")}
        </button>
        <button type="button" className="button" onClick={() => setNaming({ phase: "reading" })}>
          {t("Cancel")}
        </button>
        {naming.problem !== "" && (
          <p className="composer-error" id={`${id}-problem`}>
            {naming.problem}
          </p>
        )}
      </form>
    </>
  );
}
