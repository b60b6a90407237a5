// The two places of a tool's own UI: a dialog over the chat, and a part of the log.
import { t, type ToolCallItem } from "@sayso/core";
import { useEffect, useId, useRef, useState } from "react";
import type { ChatForUis } from "./chatForUis.ts";
import { type Leaving, ToolUiView } from "./ToolUiView.tsx";

interface Props {
  call: ToolCallItem;
  chat: ChatForUis;
  close: () => void;
}

export function ToolUiDialog({ call, chat, close, moveIntoChat }: Props & { moveIntoChat: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const leaving = useRef<Leaving>({ isBusy: false, leave: async () => undefined });
  const [mode, setMode] = useState("inline");
  const [isKept, setIsKept] = useState(false);
  const title = t("{name} UI", { name: call.name });

  useEffect(() => {
    dialog.current?.showModal();
    heading.current?.focus();
  }, []);

  /** The app hears of it before its frame goes. */
  async function leaveFor(next: () => void) {
    await leaving.current.leave();
    dialog.current?.close();
    next();
  }

  return (
    <dialog
      ref={dialog}
      className={mode === "fullscreen" ? "tool-ui full" : "tool-ui"}
      aria-labelledby="tool-ui-title"
      onCancel={(event) => {
        event.preventDefault();
        // Something waits for an answer here: one key more, pressed by habit, does not take it away.
        if (leaving.current.isBusy) setIsKept(true);
        else void leaveFor(close);
      }}
    >
      <h2 id="tool-ui-title" ref={heading} tabIndex={-1} dir="auto">
        {title}
      </h2>
      <ToolUiView call={call} chat={chat} title={title} place={{ at: "over", mode, setMode }} leaving={leaving} close={() => void leaveFor(close)} />
      {isKept && (
        <p className="quiet" role="status">
          {t("Something here waits for your answer. Press Close to leave it open, and answer it in the chat.")}
        </p>
      )}
      <div className="row bulk-foot">
        <button type="button" className="button" onClick={() => void leaveFor(moveIntoChat)}>
          {t("Show it in the chat")}
        </button>
        {mode === "fullscreen" && (
          <button type="button" className="button" onClick={() => setMode("inline")}>
            {t("Make it smaller")}
          </button>
        )}
        <button type="button" className="button" onClick={() => void leaveFor(close)}>
          {t("Close")}
        </button>
      </div>
    </dialog>
  );
}

export function ToolUiInChat({ call, chat, close }: Props) {
  const id = useId();
  const leaving = useRef<Leaving>({ isBusy: false, leave: async () => undefined });
  const title = t("{name} UI", { name: call.name });
  const leave = async () => {
    await leaving.current.leave();
    close();
  };
  return (
    <section className="tool-ui in-chat" aria-labelledby={id}>
      <h4 id={id} className="unseen">
        {title}
      </h4>
      <ToolUiView call={call} chat={chat} title={title} place={{ at: "in" }} leaving={leaving} close={() => void leave()} />
      <div className="row bulk-foot">
        <button type="button" className="button" onClick={() => void leave()}>
          {t("Close")}
          <span className="unseen"> {title}</span>
        </button>
      </div>
    </section>
  );
}
