// Where a chat begins: a few things to ask for. A press writes it into the composer and sends it.
import { t } from "@sayso/core";
import { useId } from "react";
import { say } from "./Composer.tsx";

interface Props {
  /** Empty where the agent names none, or is not known yet. */
  words: readonly string[];
  boxRef: { current: HTMLTextAreaElement | null };
}

export function Starters({ words, boxRef }: Props) {
  const id = useId();
  if (words.length === 0) return null;
  return (
    <div className="starters choices" role="group" aria-labelledby={id}>
      <span id={id} className="quiet">{t("Try one of these")}</span>
      {words.map((each) => (
        <button key={each} type="button" className="pill" dir="auto" lang="" onClick={() => say(boxRef.current, each)}>
          {each}
        </button>
      ))}
    </div>
  );
}
