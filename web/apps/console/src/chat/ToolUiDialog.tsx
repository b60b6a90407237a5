// A tool's own UI, in a dialog over the chat, with the raw output below it.
import { isObject, type JsonObject, type JsonValue, Problem, t, type ToolCallItem } from "@sayso/core";
import { Value, Values } from "@sayso/cards";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { serveToolUi } from "./toolUiBridge.ts";

/** How long a UI may take to say that it is ready. */
const READY_MILLISECONDS = 10_000;
const FIRST_HEIGHT = 500;

interface Props {
  call: ToolCallItem;
  close: () => void;
}

type Step =
  | { at: "loading" }
  | { at: "framed"; src: string; given: { tool_input: JsonObject; tool_result: JsonValue } }
  | { at: "failed"; why: string };

export function ToolUiDialog({ call, close }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [step, setStep] = useState<Step>({ at: "loading" });
  const [presses, setPresses] = useState(0);
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const [isLate, setIsLate] = useState(false);
  const title = t("{name} UI", { name: call.name });

  useEffect(() => {
    dialog.current?.showModal();
    heading.current?.focus();
  }, []);

  useEffect(() => {
    let isGone = false;
    setStep({ at: "loading" });
    setIsLate(false);
    void open(call).then((found) => {
      if (!isGone) setStep(found);
    });
    return () => {
      isGone = true;
    };
  }, [call.tool_call_id, presses]);

  // Before the frame can load: what it says first must be heard.
  useLayoutEffect(() => {
    const target = frame.current?.contentWindow;
    if (step.at !== "framed" || target == null) return undefined;
    const late = setTimeout(() => setIsLate(true), READY_MILLISECONDS);
    const stop = serveToolUi(target, step.given, contextOfPage(), {
      ready: () => {
        clearTimeout(late);
        setIsLate(false);
      },
      height: setHeight,
    });
    return () => {
      clearTimeout(late);
      stop();
    };
  }, [step]);

  const isRawOpen = step.at === "failed" || isLate;
  return (
    <dialog ref={dialog} className="tool-ui" aria-labelledby="tool-ui-title" onClose={close}>
      <h2 id="tool-ui-title" ref={heading} tabIndex={-1} dir="auto">
        {title}
      </h2>
      <p className="quiet" role="status">
        {step.at === "loading" && t("Loading…")}
        {step.at === "failed" && t("This UI cannot be shown. {why}", { why: step.why })}
        {isLate && t("This UI is not ready. Its raw output is below.")}
      </p>
      {step.at === "framed" && (
        // Foreign code: no origin, no pop-ups, no forms, no downloads. Its own policy comes with the page.
        <iframe ref={frame} title={title} src={step.src} height={height} sandbox="allow-scripts" referrerPolicy="no-referrer" />
      )}
      <details open={isRawOpen}>
        <summary>{t("Show raw output")}</summary>
        <div className="sy-record">
          {call.error ? <p dir="auto">{call.error}</p> : null}
          {isObject(call.result) ? <Values values={call.result} /> : <Value value={call.result ?? ""} />}
        </div>
      </details>
      <div className="row bulk-foot">
        {(step.at === "failed" || isLate) && (
          <button type="button" className="button" onClick={() => setPresses(presses + 1)}>
            {t("Try again")}
          </button>
        )}
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          {t("Close")}
        </button>
      </div>
    </dialog>
  );
}

async function open(call: ToolCallItem): Promise<Step> {
  if (call.ui?.has_ui !== true) return { at: "failed", why: call.ui?.detail ?? "" };
  try {
    const { src, ...given } = await api.toolUi(call.tool_call_id);
    if (src === null) return { at: "failed", why: t("This server has no address of its own for such pages.") };
    return { at: "framed", src, given };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { at: "failed", why: error.detail };
  }
}

function contextOfPage(): JsonObject {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  return { theme: isDark ? "dark" : "light", locale: document.documentElement.lang || "en", platform: "web" };
}
