// Suggested first messages. A press writes one into the composer and sends it.
import { t } from "@sayso/core";
import { useId } from "react";
import { say } from "./Composer.tsx";

interface Props {
  /** Empty if the agent has none or is not loaded yet. */
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
