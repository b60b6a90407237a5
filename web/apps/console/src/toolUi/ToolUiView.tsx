// A tool's own UI in its frame, with what it asks of the person above it and the raw output below it.
import { isObject, type JsonObject, type JsonValue, language, Problem, t, type ToolCallItem, type UiCall } from "@sayso/core";
import { SchemaView, Value, Values } from "@sayso/cards";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { api, scheduler } from "../browser.ts";
import { useLanguage } from "../language.ts";
import { type ServedToolUi, serveToolUi, type ToolUiGiven } from "./bridge.ts";
import { createUiCalls, type UiCalls } from "./calls.ts";
import { OpenCalls } from "./OpenCalls.tsx";
import { Asking, usePerson } from "./Asking.tsx";
import { filesIn, linkIn, messageIn, noteIn } from "./questions.ts";
import type { ChatForUis } from "./chatForUis.ts";

/** How long a UI may take to say that it is ready. */
const READY_MILLISECONDS = 10_000;
const FIRST_HEIGHT = 500;
const PAUSE_MILLISECONDS = 2_000;

/** How its place takes a UI away. */
export interface Leaving {
  /** Something in it waits for the person. */
  isBusy: boolean;
  leave: () => Promise<void>;
}

type Place = { at: "over"; mode: string; setMode: (mode: string) => void } | { at: "in" };

interface Props {
  call: ToolCallItem;
  chat: ChatForUis;
  title: string;
  place: Place;
  leaving: { current: Leaving };
  close: () => void;
}

type Step =
  | { at: "loading" }
  | { at: "framed"; src: string; given: ToolUiGiven }
  | { at: "drawn"; schema: JsonObject; value: JsonValue }
  | { at: "failed"; why: string };

export function ToolUiView({ call, chat, title, place, leaving, close }: Props) {
  const { spoken } = useLanguage();
  const frame = useRef<HTMLIFrameElement>(null);
  const [step, setStep] = useState<Step>({ at: "loading" });
  const [presses, setPresses] = useState(0);
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const [isLate, setIsLate] = useState(false);
  const [away, setAway] = useState("");
  const [calls, setCalls] = useState<readonly UiCall[]>([]);
  const person = usePerson(call.tool_call_id, chat);
  const served = useRef<ServedToolUi | null>(null);
  const here = useRef(place);
  here.current = place;
  const modes = place.at === "over" ? ["inline", "fullscreen"] : ["inline"];
  const mode = place.at === "over" ? place.mode : "inline";

  useEffect(() => {
    let isGone = false;
    setStep({ at: "loading" });
    setIsLate(false);
    setAway("");
    void open(call).then((found) => {
      if (!isGone) setStep(found);
    });
    return () => {
      isGone = true;
    };
  }, [call.tool_call_id, presses]);

  const made = useRef<UiCalls | null>(null);
  useEffect(() => {
    const pause = () => new Promise<void>((done) => void scheduler.after(PAUSE_MILLISECONDS, done));
    const all = createUiCalls(api, call.tool_call_id, setCalls, pause);
    made.current = all;
    void all.find().catch(() => undefined);
    return () => all.stop();
  }, [call.tool_call_id]);

  // Before the frame can load: what it says first must be heard.
  useLayoutEffect(() => {
    const target = frame.current?.contentWindow;
    if (step.at !== "framed" || target == null) return undefined;
    const late = setTimeout(() => setIsLate(true), READY_MILLISECONDS);
    const serving = serveToolUi(target, step.given, {
      context: () => contextOf(frame.current, here.current),
      ready: () => {
        clearTimeout(late);
        setIsLate(false);
      },
      height: setHeight,
      ask: async (method, params) => {
        try {
          const result = await made.current?.ask(method, params);
          setAway("");
          return result ?? null;
        } catch (error) {
          if (error instanceof Problem && isAway(error)) setAway(error.detail);
          throw error;
        }
      },
      message: (params) => person.ask(messageIn(params)),
      note: (params) => {
        const text = noteIn(params);
        if (text !== null) chat.notes.put({ callId: call.tool_call_id, name: title, text });
        return text !== null;
      },
      openLink: (params) => person.ask(linkIn(params)),
      download: (params) => person.ask(filesIn(params)),
      showAs: (wanted) => {
        const at = here.current;
        if (at.at === "in") return "inline";
        const next = wanted === "inline" || wanted === "fullscreen" ? wanted : at.mode;
        at.setMode(next);
        return next;
      },
      close,
    });
    served.current = serving;
    return () => {
      clearTimeout(late);
      served.current = null;
      void serving.end();
    };
  }, [step]);

  useTellings(frame, served, [place.at, mode, spoken]);

  leaving.current = {
    isBusy: person.question !== null || calls.some(({ state }) => state === "waiting"),
    leave: async () => {
      person.stop();
      await served.current?.end();
    },
  };

  function tryAgain() {
    // Where only its server was away, the page is the same: what was typed in it stays.
    if (step.at === "framed" && !isLate) setAway("");
    else setPresses(presses + 1);
  }

  const isRawOpen = step.at === "failed" || isLate;
  return (
    <>
      <p className="quiet" role="status">
        {step.at === "loading" && t("Loading…")}
        {step.at === "failed" && t("This UI cannot be shown. {why}", { why: step.why })}
        {isLate && t("This UI is not ready. Its raw output is below.")}
        {away !== "" && t("The server of this UI cannot be reached. {why}", { why: away })}
      </p>
      {person.question !== null && <Asking key={person.count} name={title} question={person.question} answer={person.answer} />}
      <OpenCalls calls={calls} showsCards={place.at === "over"} me={chat.me} />
      {step.at === "framed" && (
        // Foreign code: no origin, no pop-ups, no forms, no downloads. Its own policy comes with the page.
        <iframe
          ref={frame}
          title={title}
          src={step.src}
          {...(mode === "fullscreen" ? {} : { height })}
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
        />
      )}
      {step.at === "drawn" && <SchemaView schema={step.schema} value={step.value} />}
      <details open={isRawOpen}>
        <summary>{t("Show raw output")}</summary>
        <div className="sy-record">
          {call.error ? <p dir="auto">{call.error}</p> : null}
          {isObject(call.result) ? <Values values={call.result} /> : <Value value={call.result ?? ""} />}
        </div>
      </details>
      {(step.at === "failed" || isLate || away !== "") && (
        <p>
          <button type="button" className="button" onClick={tryAgain}>
            {t("Try again")}
          </button>
        </p>
      )}
    </>
  );

  function contextOf(element: HTMLIFrameElement | null, at: Place): JsonObject {
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const size = at.at === "over" && at.mode === "fullscreen" ? { height: element?.clientHeight ?? 0 } : { maxHeight: 2000 };
    return {
      theme: isDark ? "dark" : "light",
      locale: language(),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      platform: "web",
      userAgent: "sayso",
      displayMode: at.at === "over" ? at.mode : "inline",
      availableDisplayModes: modes,
      containerDimensions: { width: element?.clientWidth ?? 0, ...size },
    };
  }
}

/** Tell the app of what changes around it: its width, the theme, its mode, the language. */
function useTellings(frame: { current: HTMLIFrameElement | null }, served: { current: ServedToolUi | null }, facts: readonly string[]): void {
  const element = frame.current;
  useEffect(() => served.current?.changed(), [...facts]);
  useEffect(() => {
    const tell = () => served.current?.changed();
    const theme = matchMedia("(prefers-color-scheme: dark)");
    theme.addEventListener("change", tell);
    let width = element?.clientWidth;
    const observer =
      element === null || typeof ResizeObserver === "undefined"
        ? null
        : new ResizeObserver(() => {
            // Its height is the app's own doing, and would go round in circles.
            if (element.clientWidth === width) return;
            width = element.clientWidth;
            tell();
          });
    if (element !== null) observer?.observe(element);
    return () => {
      theme.removeEventListener("change", tell);
      observer?.disconnect();
    };
  }, [element]);
}

const isAway = ({ code, document: { status } }: Problem) => code === "tool_unavailable" || status === 0;

function drawn({ schema, result }: { schema: JsonObject; result: JsonValue }): Step {
  const value = isObject(result) ? result["structuredContent"] : undefined;
  if (value === undefined || value === null) return { at: "failed", why: t("The result has no data for it.") };
  return { at: "drawn", schema, value };
}

async function open(call: ToolCallItem): Promise<Step> {
  if (call.ui?.has_ui !== true) return { at: "failed", why: call.ui?.detail ?? "" };
  try {
    if (call.ui.format === "schema") return drawn(await api.toolUiSchema(call.tool_call_id));
    const { src, ...given } = await api.toolUi(call.tool_call_id);
    if (src === null) return { at: "failed", why: t("This server has no address of its own for such pages.") };
    return { at: "framed", src, given };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { at: "failed", why: error.detail };
  }
}
