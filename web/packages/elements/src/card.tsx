// <sayso-card interaction="…">: one interaction, answered in place.
import { announce, api, InteractionCard, session, useNow, describeError } from "@sayso/console/parts";
import { type Interaction, statusWords, t, titleOf } from "@sayso/core";
import { type ReactNode, useRef, useState } from "react";
import { SaysoElement } from "./element.tsx";
import { useHints } from "./hints.ts";
import { type Emit, emitFrom } from "./emit.ts";

export class CardElement extends SaysoElement {
  static readonly observedAttributes = ["interaction"];

  protected view() {
    const id = this.getAttribute("interaction") ?? "";
    return <OneCard key={id} id={id} emit={emitFrom(this)} />;
  }
}

function OneCard({ id, emit }: { id: string; emit: Emit }) {
  const [interaction, setInteraction] = useState<Interaction | null>(null);
  const [me, setMe] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const now = useNow(15_000);
  const isAnswering = useRef(false);
  // Callbacks read the latest value, not the one they closed over.
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
      setProblem(describeError(error).detail);
    }
  }

  function show(found: Interaction) {
    // Once settled it stays settled, even if an older read arrives late; the settlement is reported once.
    if (isSettled()) return;
    const isFirst = latest.current === null;
    latest.current = found;
    setInteraction(found);
    if (found.status === "pending" || isFirst) return;
    emit.settled(found);
    if (!isAnswering.current) announce(`${titleOf(found)} ${statusWords(found.status)}`);
  }

  useHints((chatId) => {
    if (chatId === null || chatId === interaction?.chat_id) void load();
  });

  if (interaction === null) return <Placeholder words={id === "" ? t("No interaction is named here.") : problem} />;
  return (
    <Slot interaction={interaction}>
      <InteractionCard interaction={interaction} now={now} me={me} onChange={show} onAnswering={() => void (isAnswering.current = true)} />
    </Slot>
  );
}

/** The focusable slot of a card, labelled with its name. */
export function Slot({ interaction, children }: { interaction: Interaction; children: ReactNode }) {
  const waits = interaction.status === "pending" ? { "data-waits": "" } : {};
  return (
    <div className="card-slot" tabIndex={-1} role="group" aria-label={titleOf(interaction) || interaction.agent_name} {...waits}>
      {children}
    </div>
  );
}

/** Shown in place of a card: a placeholder while it loads, or why there is none. */
export function Placeholder({ words }: { words: string | undefined }) {
  if (words === undefined) return <div className="sy-waiting" aria-hidden="true" />;
  return <p className="sy-quiet">{words}</p>;
}
