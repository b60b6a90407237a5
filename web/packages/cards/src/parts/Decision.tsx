// Approve or reject, with equal weight: neither takes the focus by itself or has a shortcut, and a rejection can say why.
import { t } from "@sayso/core";
import { useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { answer, isSending, type CardProps } from "../card.ts";
import { textOf } from "../draft.ts";
import { useFocusOnMount } from "../focus.ts";
import type { JsonObject } from "../wire.ts";
import { Actions, Button, Dismiss } from "./Actions.tsx";

interface Props {
  card: CardProps<unknown>;
  approveLabel: string;
  rejectLabel: string;
  /** False when something must be corrected first; the card itself says what. */
  mayApprove?: () => boolean;
  onApprove: () => void;
  reasonRequired: boolean;
  /** Shown once more before an approval that cannot be undone. */
  review?: ReactNode;
  /** More buttons. */
  children?: ReactNode;
}

/** `backTo` is the button that opened the previous step and gets the focus back. */
type Step =
  | { at: "deciding"; backTo: "nothing" | "approve" | "reject" }
  | { at: "rejecting"; isPressed: boolean }
  | { at: "reviewing" };

const START: Step = { at: "deciding", backTo: "nothing" };

export function Decision(props: Props) {
  const { card, approveLabel, rejectLabel } = props;
  const [step, setStep] = useState<Step>(() => (hasReason(card.draft) ? { at: "rejecting", isPressed: false } : START));
  const revision = `${card.meta.revision ?? 1} ${card.meta.digest ?? ""}`;
  const decidedOn = useRef(revision);
  const approve = useRef<HTMLButtonElement>(null);
  const reject = useRef<HTMLButtonElement>(null);
  const sending = isSending(card.state);

  // A new revision leads back to the first step, unless the person is writing a reason.
  useEffect(() => {
    if (decidedOn.current === revision) return;
    decidedOn.current = revision;
    setStep((now) => (now.at === "rejecting" && hasReason(card.draft) ? now : START));
  }, [revision]);
  useLayoutEffect(() => {
    if (step.at !== "deciding") return;
    if (step.backTo === "approve") approve.current?.focus();
    if (step.backTo === "reject") reject.current?.focus();
  }, [step]);

  switch (step.at) {
    case "deciding":
      return (
        <Actions>
          <Button
            look="go"
            sending={sending}
            buttonRef={approve}
            onPress={() => {
              if (props.mayApprove?.() === false) return;
              if (props.review === undefined) props.onApprove();
              else setStep({ at: "reviewing" });
            }}
          >
            {sending ? t("Sending…") : approveLabel}
          </Button>
          <Button look="stand" sending={sending} buttonRef={reject} onPress={() => setStep({ at: "rejecting", isPressed: true })}>
            {`${rejectLabel}…`}
          </Button>
          {props.children}
          <Dismiss sending={sending} onPress={() => card.submit({ type: "dismiss" })} />
        </Actions>
      );
    case "rejecting":
      return <Rejecting {...props} sending={sending} isPressed={step.isPressed} onBack={() => setStep({ at: "deciding", backTo: "reject" })} />;
    case "reviewing":
      return <Reviewing {...props} sending={sending} onBack={() => setStep({ at: "deciding", backTo: "approve" })} />;
  }
}

interface StepProps extends Props {
  sending: boolean;
  onBack: () => void;
}

function Rejecting({ card, rejectLabel, reasonRequired, sending, onBack, isPressed }: StepProps & { isPressed: boolean }) {
  const id = useId();
  const reasonInput = useFocusOnMount<HTMLTextAreaElement>(isPressed);
  const [missing, setMissing] = useState(false);
  const reason = textOf(card.draft, "reason");
  const suggestions = textOf(card.draft, "suggestions");
  const wrong = missing && reason.trim() === "";
  return (
    <form
      noValidate
      className="sy-step"
      onSubmit={(event) => {
        event.preventDefault();
        if (sending) return;
        if (reasonRequired && reason.trim() === "") {
          setMissing(true);
          reasonInput.current?.focus();
          return;
        }
        card.submit(answer(card.meta, { approved: false, reason, data: { suggestions: linesOf(suggestions) } }));
      }}
    >
      <div className="sy-field">
        <label className="sy-label" htmlFor={id}>
          {t("Reason for rejecting")}<span className="sy-must"> {reasonRequired ? t("(required)") : t("(optional)")}</span>
        </label>
        <p className="sy-help" id={`${id}-help`}>{t("The agent reads this and continues from it.")}</p>
        {wrong && <p className="sy-error" id={`${id}-error`}>{t("Add a reason; the agent will use it.")}</p>}
        <textarea
          id={id}
          className="sy-input"
          dir="auto"
          rows={3}
          ref={reasonInput}
          aria-required={reasonRequired}
          aria-invalid={wrong}
          aria-describedby={wrong ? `${id}-error ${id}-help` : `${id}-help`}
          value={reason}
          onChange={(event) => card.setDraft({ reason: event.currentTarget.value })}
        />
      </div>
      <div className="sy-field">
        <label className="sy-label" htmlFor={`${id}-more`}>
          {t("Suggest alternatives")}<span className="sy-must"> {t("(optional, one suggestion per line)")}</span>
        </label>
        <textarea
          id={`${id}-more`}
          className="sy-input"
          dir="auto"
          rows={2}
          value={suggestions}
          onChange={(event) => card.setDraft({ suggestions: event.currentTarget.value })}
        />
      </div>
      <Actions>
        <Button look="stand" submit sending={sending}>{sending ? t("Sending…") : rejectLabel}</Button>
        <Button look="quiet" sending={sending} onPress={onBack}>{t("Back")}</Button>
      </Actions>
    </form>
  );
}

function Reviewing({ review, approveLabel, onApprove, sending, onBack }: StepProps) {
  const heading = useFocusOnMount<HTMLHeadingElement>();
  return (
    <div className="sy-step">
      <h4 tabIndex={-1} ref={heading}>{t("Confirm: this can’t be undone")}</h4>
      {review}
      <Actions>
        <Button look="go" sending={sending} onPress={onApprove}>{sending ? t("Sending…") : t("Yes, {verb}", { verb: lower(approveLabel) })}</Button>
        <Button look="stand" sending={sending} onPress={onBack}>{t("Back")}</Button>
      </Actions>
    </div>
  );
}

/** Return the labels of the two buttons: the card's own, else "Approve" and "Reject". */
export function buttonWords(options: string[] | undefined): { approve: string; reject: string } {
  const [yes = "approve", no = "reject"] = options ?? [];
  return { approve: verbOf(yes), reject: verbOf(no) };
}

/** What was written on an earlier visit is shown at once, without taking the focus. */
function hasReason(draft: JsonObject): boolean {
  return textOf(draft, "reason") !== "" || textOf(draft, "suggestions") !== "";
}

function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/** The default labels are translated; others are the agent's words and stay as they are. */
function verbOf(option: string): string {
  const verb = capital(option);
  return verb === "Approve" ? t("Approve") : verb === "Reject" ? t("Reject") : verb;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
