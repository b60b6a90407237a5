// Until when an answer counts, what happens after that, and a way to get more time. Plain text, never a live region.
import { useState } from "react";
import type { CardProps } from "../card.ts";
import { clock, span } from "../time.ts";

/** One press asks for this much more. */
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
        <span>The time to answer is over.</span>
      ) : (
        <span>
          Answer by <time dateTime={meta.expires_at}>{clock(meta.expires_at, now)}</time>, {left} left. {after(meta.on_expiry)}
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
          {asked.phase === "asking" ? "Asking for more time…" : "More time"}
        </button>
      )}
      {asked.phase === "failed" && <span className="sy-error">No more time was given. {asked.why}</span>}
    </p>
  );
}

function after(onExpiry: CardProps["meta"]["on_expiry"]): string {
  switch (onExpiry?.action) {
    case "cancel":
      return "After that the run is cancelled.";
    case "answer":
      return "After that a default answer is used.";
    case "reject":
      return "After that it counts as not approved.";
    default:
      return "";
  }
}
