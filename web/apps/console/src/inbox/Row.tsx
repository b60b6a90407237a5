// One row of the inbox: what is asked, by whom and since when. If the summary shows everything, it can be answered in the row.
import { cardMetaOf, type Interaction, isHold, isNotice, Problem, t, titleOf } from "@sayso/core";
import { answer, clock, span } from "@sayso/cards";
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { announce } from "../frame/announce.tsx";
import { describeError } from "../frame/hooks.ts";
import { lazyPart } from "../frame/lazyComponent.tsx";
import { Link, pathTo } from "../router.tsx";
import { saveDraft, readDraft } from "../draftStorage.ts";
import { agentName } from "../words.ts";
import { type Answering, sendFor } from "./answering.ts";
import { askedBy } from "./askedBy.ts";
import { Attention } from "./Attention.tsx";
import { claimWords } from "./attention.ts";
import { summaryOf } from "./summary.ts";
import { InteractionCard } from "./InteractionCard.tsx";

const LedHere = lazyPart(() => import("./LedHere.tsx"), (file) => file.LedHere);

/** Below this the remaining time is highlighted. */
export const SOON_MILLISECONDS = 24 * 3600 * 1000;

interface Props extends Answering {
  interaction: Interaction;
  now: Date;
  me: string | undefined;
  /** The row that Tab reaches (roving tabindex); arrows lead to the others. */
  isActive: boolean;
  isOpen: boolean;
  /** There is room for the open card beside the list, so the row stays as it is. */
  isBeside: boolean;
  isChosen: boolean;
  /** The earlier card that this one repeats. */
  repeats: Interaction | undefined;
  onCompare: () => void;
  /** How many requests from this one on differ in one argument alone; 0 for none. */
  alike: number;
  onAlike: () => void;
  onActive: () => void;
  onToggle: () => void;
  onChoose: (isChosen: boolean) => void;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

export function Row(props: Props) {
  const { interaction, isActive, isOpen, isBeside, isChosen, now, me, onActive, onToggle, onChoose, onKeyDown } = props;
  const id = interaction.interaction_id;
  const title = titleOf(interaction) || agentName(interaction.agent_name);
  const waits = interaction.status === "pending";
  const isDrawn = (isOpen && !isBeside) || isNotice(interaction) || isHold(interaction);
  const card = <InteractionCard interaction={interaction} now={now} me={me} onChange={props.onChange} onAnswering={props.onAnswering} />;
  const foot = (
    <div className="row-foot quiet">
      {!isBeside && (
        <button type="button" className="link" aria-expanded onClick={onToggle}>
          {t("Close")}
          <span className="unseen">: {title}</span>
        </button>
      )}
      <Link className="link" to={pathTo.chat(interaction.chat_id)}>
        {t("Open the chat")}
        <span className="unseen">: {title}</span>
      </Link>
      <Link className="link" to={pathTo.interaction(id)}>
        {t("Link to this")}
        <span className="unseen">: {title}</span>
      </Link>
      {waits && <Attention interaction={interaction} me={me} now={now} onChange={props.onChange} />}
    </div>
  );
  const place = useRef<HTMLDivElement>(null);
  const stop = isActive ? 0 : -1;
  return (
    <li className="in-row">
      <div
        ref={place}
        className="card-slot in-item"
        id={`card-${id}`}
        role="group"
        aria-label={title}
        tabIndex={stop}
        data-state={!waits ? "settled" : isDrawn ? "open" : "closed"}
        {...(waits ? { "data-waits": "" } : {})}
        onFocus={onActive}
        onKeyDown={(event) => {
          // Only keys pressed on the row itself, not in its inputs.
          if (event.target === place.current) onKeyDown(event);
        }}
      >
        {waits && !isDrawn ? (
          <Closed {...props} title={title} stop={stop} choose={canBeChosen(interaction) ? { isChosen, onChoose } : null} />
        ) : (
          card
        )}
        {waits && isOpen && isBeside && !isDrawn && (
          <div className="in-pane" role="region" aria-label={title} tabIndex={-1}>
            {card}
            {foot}
            <LedHere chatId={interaction.chat_id} cardId={id} />
          </div>
        )}
        {waits && isOpen && !isBeside && foot}
      </div>
    </li>
  );
}

/** What may be rejected with others in one step; approved together only what a policy allows. */
export function canBeChosen(interaction: Interaction): boolean {
  return interaction.status === "pending" && interaction.card === "approval";
}

interface ClosedProps extends Props {
  title: string;
  stop: number;
  choose: Pick<Props, "isChosen" | "onChoose"> | null;
}

type Step = { at: "looking" } | { at: "rejecting"; isPressed: boolean } | { at: "sending" };

function Closed({ interaction, now, me, title, stop, choose, repeats, alike, isOpen, onCompare, onAlike, onToggle, ...answering }: ClosedProps) {
  const id = interaction.interaction_id;
  const summary = useMemo(() => summaryOf(interaction), [interaction]);
  const [step, setStep] = useState<Step>(() =>
    summary.isWhole && begunReason(`interaction:${id}`) !== "" ? { at: "rejecting", isPressed: false } : { at: "looking" },
  );
  const [problem, setProblem] = useState<string | null>(null);
  const meta = cardMetaOf(interaction.payload);
  const reject = useRef<HTMLButtonElement>(null);
  const of = <span className="unseen">: {title}</span>;
  const claimed = claimWords(interaction, me, now);

  async function say(approved: boolean, reason = "") {
    setStep({ at: "sending" });
    setProblem(null);
    try {
      await sendFor(interaction, answering)(answer(meta, { approved, reason }));
    } catch (error) {
      const reason = error instanceof Problem ? error.detail : describeError(error).title;
      setProblem(reason);
      announce(t("Not sent. {why}", { why: reason }), "assertive");
      setStep(approved ? { at: "looking" } : { at: "rejecting", isPressed: true });
    }
  }

  return (
    <>
      <div className="in-line">
        {choose !== null && (
          <label className="in-choose">
            <input
              type="checkbox"
              tabIndex={stop}
              checked={choose.isChosen}
              onChange={(event) => choose.onChoose(event.currentTarget.checked)}
            />
            <span className="unseen">{t("Choose: {title}", { title })}</span>
          </label>
        )}
        {/* A press on the words does what the button does; the button is there for every other way. */}
        <div className="in-words" onClick={() => getSelection()?.isCollapsed !== false && onToggle()}>
          <h3 dir="auto">
            {title}
            {repeats !== undefined && <span className="in-twin"> {t("asked before")}</span>}
          </h3>
          <p className="quiet">
            <Parts
              parts={[
                <bdi key="agent">{askedBy(interaction)}</bdi>,
                ...inChat(interaction).map((chat) => <bdi key="chat">{chat}</bdi>),
                since(interaction, now),
                ...deadline(interaction, now),
                ...(claimed === null ? [] : [<b key="claim">{claimed}</b>]),
                ...summary.parts.map((part, at) => <bdi key={at}>{part}</bdi>),
              ]}
            />
          </p>
        </div>
        {step.at !== "rejecting" && (
          <div className="in-actions">
            {repeats !== undefined ? (
              <button type="button" className="button" tabIndex={stop} onClick={onCompare}>
                {t("Compare")}
                {of}
              </button>
            ) : summary.isWhole ? (
              <>
                <button
                  type="button"
                  className="button go"
                  tabIndex={stop}
                  aria-disabled={step.at === "sending"}
                  onClick={() => step.at === "looking" && void say(true)}
                >
                  {step.at === "sending" ? t("Sending…") : t("Approve")}
                  {of}
                </button>
                <button
                  type="button"
                  className="button"
                  ref={reject}
                  tabIndex={stop}
                  aria-disabled={step.at === "sending"}
                  onClick={() => step.at === "looking" && setStep({ at: "rejecting", isPressed: true })}
                >
                  {t("Reject")}…{of}
                </button>
                <button type="button" className="link" tabIndex={stop} aria-expanded={isOpen} onClick={onToggle}>
                  {t("Details")}
                  {of}
                </button>
                {alike > 0 && (
                  <button type="button" className="link" tabIndex={stop} onClick={onAlike}>
                    {t("{n} alike…", { n: alike })}
                    {of}
                  </button>
                )}
              </>
            ) : (
              <button type="button" className="button" tabIndex={stop} aria-expanded={isOpen} onClick={onToggle}>
                {t("Open")}
                {of}
              </button>
            )}
          </div>
        )}
      </div>
      {step.at === "rejecting" && (
        <Rejecting
          of={`interaction:${id}`}
          isPressed={step.isPressed}
          isRequired={interaction.payload["requires_reason"] !== false && interaction.card !== "confirmation"}
          send={(reason) => void say(false, reason)}
          back={() => {
            setStep({ at: "looking" });
            setTimeout(() => reject.current?.focus());
          }}
        />
      )}
      {problem !== null && <p className="in-problem">{t("Not sent. {why}", { why: problem })}</p>}
    </>
  );
}

interface RejectingProps {
  of: `interaction:${string}`;
  /** Otherwise a restored draft is shown and the focus stays where it is. */
  isPressed: boolean;
  isRequired: boolean;
  send: (reason: string) => void;
  back: () => void;
}

function begunReason(of: `interaction:${string}`): string {
  const kept = readDraft(of)?.["reason"];
  return typeof kept === "string" ? kept : "";
}

/** Saved as the card's own draft, so that opening the card finds it. */
function Rejecting({ of, isPressed, isRequired, send, back }: RejectingProps) {
  const id = useId();
  const [reason, setReason] = useState(() => begunReason(of));
  const [isMissing, setMissing] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const isWrong = isMissing && reason.trim() === "";
  // Focus once, on opening; a later re-render must not take the focus back.
  useLayoutEffect(() => {
    if (isPressed) box.current?.focus();
  }, []);
  return (
    <form
      noValidate
      className="in-reject"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isRequired || reason.trim() !== "") return send(reason.trim());
        setMissing(true);
        box.current?.focus();
      }}
    >
      <label htmlFor={id}>
        {t("Reason for rejecting")} <span className="quiet">{isRequired ? t("(required)") : t("(optional)")}</span>
      </label>
      {isWrong && (
        <p className="in-problem" id={`${id}-error`}>
          {t("Add a reason; the agent will use it.")}
        </p>
      )}
      <textarea
        id={id}
        ref={box}
        dir="auto"
        rows={2}
        aria-required={isRequired}
        aria-invalid={isWrong}
        {...(isWrong ? { "aria-describedby": `${id}-error` } : {})}
        value={reason}
        onChange={(event) => {
          setReason(event.currentTarget.value);
          saveDraft(of, { ...readDraft(of), reason: event.currentTarget.value });
        }}
      />
      <div className="row">
        <button className="button">{t("Reject")}</button>
        <button type="button" className="link" onClick={back}>
          {t("Back")}
        </button>
      </div>
    </form>
  );
}

function Parts({ parts }: { parts: readonly ReactNode[] }) {
  return (
    <>
      {parts.map((part, at) => (
        <span key={at} className="in-part">
          {part}
        </span>
      ))}
    </>
  );
}

/** The chat that it comes from; a request from outside has one of its own, which says nothing more. */
function inChat({ chat_title, title, payload }: Interaction): string[] {
  const isNews = chat_title != null && chat_title !== title && cardMetaOf(payload).asker == null;
  return isNews ? [t("in “{chat}”", { chat: chat_title })] : [];
}

function since(interaction: Interaction, now: Date): string {
  const milliseconds = now.getTime() - new Date(interaction.created_at).getTime();
  return milliseconds < 60_000 ? t("just now") : t("waiting {time}", { time: span(milliseconds) });
}

function deadline(interaction: Interaction, now: Date): ReactNode[] {
  const at = interaction.expires_at;
  if (!at) return [];
  const words = t("expires {at}", { at: clock(at, now) });
  const isSoon = new Date(at).getTime() - now.getTime() < SOON_MILLISECONDS;
  return [isSoon ? <b className="soon">{words}</b> : words];
}
