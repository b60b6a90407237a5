// Announcements for screen readers. Both live regions exist, empty, before the first announcement.
import { memo } from "react";

export type Urgency = "polite" | "assertive";

/** Long enough to be read out, short enough not to be found again while browsing the page. */
const STAYS_MILLISECONDS = 8000;
const REGION = "announce-";

export function announce(text: string, urgency: Urgency = "polite"): void {
  const region = document.getElementById(`${REGION}${urgency}`);
  if (region === null) return;
  const line = document.createElement("p");
  line.textContent = text;
  region.append(line);
  setTimeout(() => line.remove(), STAYS_MILLISECONDS);
}

/** Add the live regions to a host page; once, however many elements it has. */
export function prepareToAnnounce(page: Document): void {
  for (const urgency of ["polite", "assertive"] as const) {
    if (page.getElementById(REGION + urgency) !== null) continue;
    const region = page.createElement("div");
    region.id = REGION + urgency;
    region.ariaLive = urgency;
    // Visually hidden. Inline, since we do not add styles to the host page.
    for (const [name, value] of HIDDEN) region.style.setProperty(name, value, "important");
    page.body.append(region);
  }
}

const HIDDEN = [
  ...[["position", "absolute"], ["width", "1px"], ["height", "1px"], ["margin", "-1px"]],
  ...[["overflow", "hidden"], ["clip-path", "inset(50%)"], ["white-space", "nowrap"]],
] as [string, string][];

/** Rendered once and memoised, so that a re-render never empties it. */
export const Announcer = memo(function Announcer() {
  return (
    <div className="announcer">
      <div id="announce-polite" aria-live="polite" />
      <div id="announce-assertive" aria-live="assertive" />
    </div>
  );
});
