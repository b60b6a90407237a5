// A tool's own UI, over the chat or as a part of the log. It is one element in both places: a frame that is moved in the page begins anew.
import { t, type ToolCallItem } from "@sayso/core";
import { useEffect, useId, useRef, useState } from "react";
import type { ChatForUis } from "./chatForUis.ts";
import { type Leaving, ToolUiView } from "./ToolUiView.tsx";

interface Props {
  call: ToolCallItem;
  chat: ChatForUis;
  place: "over" | "in";
  moveIntoChat: () => void;
  close: () => void;
}

export function ToolUiDialog({ call, chat, place, moveIntoChat, close }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const leaving = useRef<Leaving>({ isBusy: false, leave: async () => undefined });
  const [mode, setMode] = useState("inline");
  const [isKept, setIsKept] = useState(false);
  const title = t("{name} UI", { name: call.name });
  const isOver = place === "over";

  useEffect(() => {
    dialog.current?.close();
    if (isOver) dialog.current?.showModal();
    else dialog.current?.show();
    heading.current?.focus();
  }, [isOver]);

  /** The app hears of it before its frame goes. */
  async function leave() {
    await leaving.current.leave();
    dialog.current?.close();
    close();
  }

  return (
    <dialog
      ref={dialog}
      className={!isOver ? "tool-ui in-chat" : mode === "fullscreen" ? "tool-ui full" : "tool-ui"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        // Something waits for an answer here: one key more, pressed by habit, does not take it away.
        if (leaving.current.isBusy) setIsKept(true);
        else void leave();
      }}
    >
      <h2 id={id} ref={heading} tabIndex={-1} dir="auto" aria-level={isOver ? 2 : 3}>
        {title}
      </h2>
      <ToolUiView
        call={call}
        chat={chat}
        title={title}
        place={isOver ? { at: "over", mode, setMode } : { at: "in" }}
        leaving={leaving}
        close={() => void leave()}
      />
      {isOver && isKept && (
        <p className="quiet" role="status">
          {t("Something here waits for your answer. Press Close to leave it open, and answer it in the chat.")}
        </p>
      )}
      <div className="row bulk-foot">
        {isOver && (
          <button type="button" className="button" onClick={moveIntoChat}>
            {t("Show it in the chat")}
          </button>
        )}
        {isOver && mode === "fullscreen" && (
          <button type="button" className="button" onClick={() => setMode("inline")}>
            {t("Make it smaller")}
          </button>
        )}
        <button type="button" className="button" onClick={() => void leave()}>
          {t("Close")}
          {!isOver && <span className="unseen"> {title}</span>}
        </button>
      </div>
    </dialog>
  );
}
