// Stops a run. It is quiet, and asks first where decisions would be dropped.
import { cardTitleOf, type MessageItem, t, uiToolOf } from "@sayso/core";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { announce } from "../frame/announce.tsx";
import { describeError } from "../frame/hooks.ts";
import { treeOf } from "./useScroll.ts";

interface Props {
  cancel: () => Promise<unknown>;
  runId: string;
  /** What waits for a decision, and would be dropped. */
  waiting: readonly MessageItem[];
  /** Called to move the focus when the button disappears with its run. */
  after: () => void;
}

export function StopButton({ cancel, runId, waiting, after }: Props) {
  const [stopping, setStopping] = useState<string | null>(null);
  const isStopping = stopping === runId;
  const button = useRef<HTMLButtonElement>(null);
  const [isAsking, setAsking] = useState(false);
  // When the button disappears with the run, keep the focus off the page body.
  useLayoutEffect(() => {
    const shown = button.current;
    return () => void (shown?.contains(treeOf(shown).activeElement) && after());
  }, []);

  function stop() {
    setAsking(false);
    setStopping(runId);
    cancel().catch((error: unknown) => {
      setStopping(null);
      announce(t("Not sent. {why}", { why: describeError(error).detail }), "assertive");
    });
  }

  return (
    <>
      <button
        type="button"
        className="button quiet-button"
        ref={button}
        aria-disabled={isStopping}
        onClick={() => {
          if (isStopping) return;
          if (waiting.length > 0) setAsking(true);
          else stop();
        }}
      >
        {isStopping ? t("Stopping…") : t("Stop")}
      </button>
      {isAsking && <Question waiting={waiting} stop={stop} close={() => setAsking(false)} />}
    </>
  );
}

interface QuestionProps {
  waiting: readonly MessageItem[];
  stop: () => void;
  close: () => void;
}

function Question({ waiting, stop, close }: QuestionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="stop" aria-labelledby={headingId} onClose={close}>
      <h2 id={headingId}>
        {t("{n, plural, one {Stop and drop # open decision?} other {Stop and drop # open decisions?}}", { n: waiting.length })}
      </h2>
      <ul>
        {waiting.map((message) => (
          <li key={message.event_id} dir="auto">
            {titleOf(message)}
          </li>
        ))}
      </ul>
      <p className="quiet">{t("Nothing in this list will run. The agent is told that you stopped it.")}</p>
      <p className="dialog-buttons">
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          {t("Keep waiting")}
        </button>
        <button type="button" className="button" onClick={stop}>
          {t("Stop")}
        </button>
      </p>
    </dialog>
  );
}

function titleOf(message: MessageItem): string {
  const tool = uiToolOf(message);
  return tool === null ? "" : cardTitleOf(tool);
}
