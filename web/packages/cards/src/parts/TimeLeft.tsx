// The deadline, what happens after it, and a button for more time. Plain text, never a live region.
import { t } from "@sayso/core";
import { useState } from "react";
import type { CardProps } from "../card.ts";
import { clock, span } from "../time.ts";
import { interpolate, PLACEHOLDER } from "./interpolate.tsx";

/** Each press asks for this much more. */
const MORE_SECONDS = 3600;

type Asked = { phase: "no" } | { phase: "asking" } | { phase: "failed"; why: string };

export function TimeLeft({ card }: { card: CardProps<unknown> }) {
  const { meta, now } = card;
  const [asked, setAsked] = useState<Asked>({ phase: "no" });
  if (meta.expires_at == null) return null;
  const left = span(new Date(meta.expires_at).getTime() - now.getTime());
  return (
    <p className="sy-time">
      {left === "" ? (
        <span>{t("The time to answer is over.")}</span>
      ) : (
        <span>
          {interpolate(t("Answer by {at}, {left} left.", { at: PLACEHOLDER, left }), <time dateTime={meta.expires_at}>{clock(meta.expires_at, now)}</time>)}{" "}
          {after(meta.on_expiry)}
        </span>
      )}
      {left !== "" && (
        <button
          type="button"
          className="sy-link"
          aria-disabled={asked.phase === "asking"}
          onClick={() => {
            if (asked.phase === "asking") return;
            setAsked({ phase: "asking" });
            card.extend(MORE_SECONDS).then(
              () => setAsked({ phase: "no" }),
              (problem: { detail?: string }) => setAsked({ phase: "failed", why: problem.detail ?? "" }),
            );
          }}
        >
          {asked.phase === "asking" ? t("Asking for more time…") : t("More time")}
        </button>
      )}
      {asked.phase === "failed" && <span className="sy-error">{t("No more time was given.")} {asked.why}</span>}
    </p>
  );
}

function after(onExpiry: CardProps["meta"]["on_expiry"]): string {
  switch (onExpiry?.action) {
    case "cancel":
      return t("After that the run is stopped.");
    case "answer":
      return t("After that a default answer is used.");
    case "reject":
      return t("After that it counts as rejected.");
    default:
      return "";
  }
}
