// What was approved and has not begun: when it runs, and the button that takes the yes back.
import { partText, t } from "@sayso/core";
import { useContext, useEffect, useState } from "react";
import { answer, isSending, problemOf, type CardProps } from "../card.ts";
import { HeadingId } from "../naming.ts";
import { Button } from "../parts/Actions.tsx";
import { ProblemNotice } from "../parts/ProblemNotice.tsx";
import { span } from "../time.ts";
import type { HoldPayload } from "../wire.ts";
import { exact } from "../words.ts";

const TICK_MILLISECONDS = 1_000;

export function HoldCard(card: CardProps<HoldPayload>) {
  const { payload, meta } = card;
  const sending = isSending(card.state);
  const problem = problemOf(card.state);
  return (
    <div className="sy-receipt sy-hold">
      <p className="sy-line">
        <span className="sy-glyph" aria-hidden="true">◷</span>{" "}
        <span>
          <b id={useContext(HeadingId)}><bdi>{exact(partText(meta, "title", payload.title))}</bdi></b> {runsWords(useTimeLeft(meta.expires_at))}
        </span>
      </p>
      {/* As long as the server takes it: its clock counts, not this one. */}
      <Button look="stand" sending={sending} onPress={() => card.submit(answer(meta, { approved: false }))}>
        {sending ? t("Sending…") : t("Undo")}
      </Button>
      {problem !== undefined && <ProblemNotice problem={problem} />}
    </div>
  );
}

function runsWords(left: number): string {
  if (left <= 0) return t("runs now");
  if (left >= 60_000) return t("runs in {time}", { time: span(left) });
  return t("runs in {time}", { time: t("{n} s", { n: Math.ceil(left / 1_000) }) });
}

function useTimeLeft(until: string | null | undefined): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MILLISECONDS);
    return () => clearInterval(timer);
  }, []);
  return until == null ? 0 : Date.parse(until) - now;
}
