// What this person chose when they were last asked the same. The card marks it; it is sent only with their own press.
import { useEffect, useState } from "react";
import type { CardProps } from "./card.ts";
import type { JsonObject } from "./wire.ts";

/** Return it once it is known; a card without choices asks for nothing. */
export function useLastChoice({ tool, loadLastChoice }: Pick<CardProps, "tool" | "loadLastChoice">, hasChoices: boolean): JsonObject {
  const [last, setLast] = useState<JsonObject>({});
  const id = tool.event_id;

  useEffect(() => {
    if (!hasChoices || loadLastChoice === undefined) return undefined;
    let isGone = false;
    // Without it the card is what it always was.
    loadLastChoice(id).then((values) => void (isGone || setLast(values)), () => undefined);
    return () => void (isGone = true);
  }, [id, hasChoices, loadLastChoice]);

  return last;
}
