// What open apps have noted for the agent: it goes with the next message, unless the person takes it away.
import { t } from "@sayso/core";
import { useSyncExternalStore } from "react";
import type { Notes } from "./notes.ts";

export function ToolUiNotes({ notes }: { notes: Notes }) {
  const all = useSyncExternalStore(notes.subscribe, notes.getSnapshot);
  if (all.length === 0) return null;
  return (
    <ul className="tool-ui-notes" aria-label={t("Goes with your next message")}>
      {all.map(({ callId, name, text }) => (
        <li key={callId}>
          <details>
            <summary dir="auto">{t("With your next message: what the {name} has noted", { name })}</summary>
            <p dir="auto">{text}</p>
          </details>
          <button type="button" className="link" onClick={() => notes.remove(callId)}>
            {t("Leave it out")}
            <span className="unseen">: {name}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
