// An optional note with an approval; collapsed, since most have none.
import { t } from "@sayso/core";
import { useId, useState } from "react";
import type { CardProps } from "../card.ts";
import { textOf } from "../draft.ts";

export function Note({ card }: { card: CardProps<unknown> }) {
  const id = useId();
  const note = textOf(card.draft, "note");
  // Initial state only: it must not close while someone deletes the last letter.
  const [startsOpen] = useState(note !== "");
  return (
    <details className="sy-details" {...(startsOpen ? { open: true } : {})}>
      <summary>{t("Add a note")}</summary>
      <div className="sy-field">
        <label className="sy-label" htmlFor={id}>
          {t("Note to the agent")}<span className="sy-must"> {t("(optional, sent with an approval)")}</span>
        </label>
        <textarea
          id={id}
          className="sy-input"
          dir="auto"
          rows={2}
          value={note}
          onChange={(event) => card.setDraft({ note: event.currentTarget.value })}
        />
      </div>
    </details>
  );
}
