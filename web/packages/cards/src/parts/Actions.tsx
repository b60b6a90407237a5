// The row of buttons under a card.
import { t } from "@sayso/core";
import { useContext, useState, type ReactNode } from "react";
import type { Held } from "../focus.ts";
import { CardProblem, CardTitle } from "../naming.ts";
import { ProblemNotice } from "./ProblemNotice.tsx";

interface Props {
  /** `go` is the way on, `stand` the way back, with the same size and reach; `quiet` is neither. */
  look: "go" | "stand" | "quiet";
  /** While it is sent, a button keeps its place and its focus and does nothing. */
  sending?: boolean;
  submit?: boolean;
  onPress?: () => void;
  buttonRef?: Held<HTMLButtonElement>;
  /** The visible words; the card's title follows for those who hear the button alone. */
  children: string;
}

export function Button({ look, sending = false, submit = false, onPress, buttonRef, children }: Props) {
  const title = useContext(CardTitle);
  const [width, setWidth] = useState(0);
  return (
    <button
      type={submit ? "submit" : "button"}
      className="sy-button"
      data-look={look}
      aria-label={`${children}: ${title}`}
      aria-disabled={sending}
      style={sending && width > 0 ? { minInlineSize: width } : undefined}
      {...(buttonRef === undefined ? {} : { ref: buttonRef })}
      onClick={(event) => {
        if (sending) return event.preventDefault();
        // Of other words it would have another width, and its neighbours another place.
        setWidth(event.currentTarget.offsetWidth);
        onPress?.();
      }}
    >
      {children}
    </button>
  );
}

/** The buttons, and right above them why the last press came to nothing. */
export function Actions({ children }: { children: ReactNode }) {
  const problem = useContext(CardProblem);
  return (
    <>
      {problem !== undefined && <ProblemNotice problem={problem} />}
      <div className="sy-actions">{children}</div>
    </>
  );
}

/** Answers neither way: nothing runs, and the agent is told. */
export function Dismiss({ sending, onPress }: { sending: boolean; onPress: () => void }) {
  return <Button look="quiet" sending={sending} onPress={onPress}>{t("Dismiss")}</Button>;
}
