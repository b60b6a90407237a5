// What is said aloud to those who listen to the page. Both regions are there, empty, before anything is said.
import { memo } from "react";

export type Urgency = "polite" | "assertive";

/** Long enough to be read out, short enough not to be met again later. */
const STAYS_MILLISECONDS = 8000;

export function announce(text: string, urgency: Urgency = "polite"): void {
  const region = document.getElementById(`announce-${urgency}`);
  if (region === null) return;
  const line = document.createElement("p");
  line.textContent = text;
  region.append(line);
  setTimeout(() => line.remove(), STAYS_MILLISECONDS);
}

/** Drawn once and then left alone, so that a new picture of the page never empties it. */
export const Announcer = memo(function Announcer() {
  return (
    <div className="announcer">
      <div id="announce-polite" aria-live="polite" />
      <div id="announce-assertive" aria-live="assertive" />
    </div>
  );
});
