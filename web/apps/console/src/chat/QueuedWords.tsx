// Words of a person that wait for their turn: they can be changed or taken back until the agent has them.
import { t } from "@sayso/core";
import { useState } from "react";
import { announce } from "../frame/announce.tsx";
import { describeError } from "../frame/hooks.ts";

interface Props {
  words: string;
  withdraw: () => Promise<unknown>;
  /** Puts the words back into the composer. */
  edit: (words: string) => void;
}

export function QueuedWords({ words, withdraw, edit }: Props) {
  const [isGoing, setGoing] = useState(false);

  async function takeBack(after: () => void) {
    if (isGoing) return;
    setGoing(true);
    try {
      await withdraw();
      after();
    } catch (error) {
      setGoing(false);
      announce(t("Not withdrawn. {why}", { why: describeError(error).detail }), "assertive");
    }
  }

  return (
    <small className="row">
      <span>{t("Queued")}</span>
      <button type="button" className="link" aria-disabled={isGoing} onClick={() => void takeBack(() => edit(words))}>
        {t("Edit")}
        <span className="unseen">: {words}</span>
      </button>
      <button type="button" className="link" aria-disabled={isGoing} onClick={() => void takeBack(() => announce(t("Withdrawn")))}>
        {t("Withdraw")}
        <span className="unseen">: {words}</span>
      </button>
    </small>
  );
}
