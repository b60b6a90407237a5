// The row of buttons under a card.
import { t } from "@sayso/core";
import { useContext, useState, type ReactNode } from "react";
import type { MutableRef } from "../focus.ts";
import { CardProblem, CardTitle } from "../naming.ts";
import { ProblemNotice } from "./ProblemNotice.tsx";

interface Props {
  /** `go` is the primary action and `stand` the secondary one, equal in size; `quiet` is neither. */
  look: "go" | "stand" | "quiet";
  /** While sending, a button keeps its place and its focus and does nothing. */
  sending?: boolean;
  submit?: boolean;
  onPress?: () => void;
  buttonRef?: MutableRef<HTMLButtonElement>;
  /** The visible label; the accessible name adds the card's title. */
  children: string;
}

export function Button({ look, sending = false, submit = false, onPress, buttonRef, children }: Props) {
  const title = useContext(CardTitle);
  const [size, setSize] = useState<{ minInlineSize: number; minBlockSize: number }>();
  return (
    <button
      type={submit ? "submit" : "button"}
      className="sy-button"
      data-look={look}
      aria-label={`${children}: ${title}`}
      aria-disabled={sending}
      style={sending ? size : undefined}
      {...(buttonRef === undefined ? {} : { ref: buttonRef })}
      onClick={(event) => {
        if (sending) return event.preventDefault();
        // Keep the size: another label would move the neighbours.
        setSize({ minInlineSize: event.currentTarget.offsetWidth, minBlockSize: event.currentTarget.offsetHeight });
        onPress?.();
      }}
    >
      {children}
    </button>
  );
}

/** The buttons, and right above them the problem of the last press. */
export function Actions({ children }: { children: ReactNode }) {
  const problem = useContext(CardProblem);
  return (
    <>
      {problem !== undefined && <ProblemNotice problem={problem} />}
      <div className="sy-actions">{children}</div>
    </>
  );
}

/** Dismisses the card: nothing runs, and the agent is told. */
export function Dismiss({ sending, onPress }: { sending: boolean; onPress: () => void }) {
  return <Button look="quiet" sending={sending} onPress={onPress}>{t("Skip")}</Button>;
}
