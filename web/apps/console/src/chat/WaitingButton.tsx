// How many cards of this chat wait, in its head: pressed, it leads to the next of them.
import { t } from "@sayso/core";
import { useRef } from "react";
import { goToNextCard } from "../frame/nextCard.ts";
import { treeOf } from "./useScroll.ts";

export function WaitingButton({ waiting }: { waiting: number }) {
  const button = useRef<HTMLButtonElement>(null);
  /** Pressed again, it leads on from there: the press has taken the focus to this button. */
  const last = useRef<HTMLElement | undefined>(undefined);
  if (waiting === 0) return null;
  return (
    <button
      type="button"
      className="waiting-button"
      ref={button}
      onClick={() => void (last.current = goToNextCard(treeOf(button.current), last.current ?? null))}
    >
      {t("{n} waiting", { n: waiting })}
      <span className="unseen">: {t("go to the next card")}</span>
    </button>
  );
}
