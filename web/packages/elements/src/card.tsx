// <sayso-card interaction="…">: one interaction, answered in place.
import { announce, api, InteractionCard, session, useNow, wordsFor } from "@sayso/console/parts";
import { type Interaction, statusWords, t, titleOf } from "@sayso/core";
import { type ReactNode, useRef, useState } from "react";
import { SaysoElement } from "./element.tsx";
import { useHints } from "./hints.ts";
import { type Tell, tellFrom } from "./tell.ts";

export class CardElement extends SaysoElement {
  static readonly observedAttributes = ["interaction"];

  protected view() {
    const id = this.getAttribute("interaction") ?? "";
    return <OneCard key={id} id={id} tell={tellFrom(this)} />;
  }
}

function OneCard({ id, tell }: { id: string; tell: Tell }) {
  const [interaction, setInteraction] = useState<Interaction | null>(null);
  const [me, setMe] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const now = useNow(15_000);
  const isAnswering = useRef(false);
  // What was asked for at another moment is not what came since.
  const latest = useRef<Interaction | null>(null);
  const isSettled = () => latest.current !== null && latest.current.status !== "pending";

  async function load() {
    if (id === "" || isSettled()) return;
    try {
      const [found, who] = await Promise.all([api.interaction(id), session()]);
      setMe(who.person);
      show(found);
      setProblem(undefined);
    } catch (error) {
      setProblem(wordsFor(error).detail);
    }
  }

  function show(found: Interaction) {
    // What is settled stays so, whatever was read before that and comes late; and is told once.
    if (isSettled()) return;
    const isFirst = latest.current === null;
    latest.current = found;
    setInteraction(found);
    if (found.status === "pending" || isFirst) return;
    tell.settled(found);
    if (!isAnswering.current) announce(`${titleOf(found)} ${statusWords(found.status)}`);
  }

  useHints((chatId) => {
    if (chatId === null || chatId === interaction?.chat_id) void load();
  });

  if (interaction === null) return <Nothing words={id === "" ? t("No interaction is named here.") : problem} />;
  return (
    <Slot interaction={interaction}>
      <InteractionCard interaction={interaction} now={now} me={me} onChange={show} onAnswering={() => void (isAnswering.current = true)} />
    </Slot>
  );
}

/** Where a card stands: one can jump to it, and it is known by its name. */
export function Slot({ interaction, children }: { interaction: Interaction; children: ReactNode }) {
  const waits = interaction.status === "pending" ? { "data-waits": "" } : {};
  return (
    <div className="card-slot" tabIndex={-1} role="group" aria-label={titleOf(interaction) || interaction.agent_name} {...waits}>
      {children}
    </div>
  );
}

/** What stands where a card will be: an outline of it, or why there is none. */
export function Nothing({ words }: { words: string | undefined }) {
  if (words === undefined) return <div className="sy-waiting" aria-hidden="true" />;
  return <p className="sy-quiet">{words}</p>;
}
