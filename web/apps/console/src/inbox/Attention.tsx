// Below an open card: say that one looks at it, hand it over with a note, or put it off.
import { clock } from "@sayso/cards";
import { type Interaction, Problem, t } from "@sayso/core";
import { useId, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { Share } from "./Share.tsx";
import { SimilarDecisions } from "./SimilarDecisions.tsx";
import { claimOf, haveBack, inAnHour, isSnoozed, morning, snooze, toggleClaim } from "./attention.ts";

interface Props {
  interaction: Interaction;
  me: string | undefined;
  now: Date;
  onChange: (changed: Interaction) => void;
}

export function Attention({ interaction, me, now, onChange }: Props) {
  const [step, setStep] = useState<"none" | "handing" | "snoozing" | "comparing" | "sharing">("none");
  const [problem, setProblem] = useState<string | null>(null);
  const isMine = claimOf(interaction, now)?.person === me && me !== undefined;

  async function act(change: () => Promise<Interaction>) {
    try {
      const changed = await change();
      setProblem(null);
      setStep("none");
      onChange(changed);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error.detail);
      announce(error.detail, "assertive");
    }
  }

  return (
    <>
      <span className="in-ways">
        <button type="button" className="link" onClick={() => void act(() => toggleClaim(interaction, me, now))}>
          {isMine ? t("I’m not looking at it any more") : t("I’m looking at it")}
        </button>
        <button type="button" className="link" aria-expanded={step === "handing"} onClick={() => setStep(step === "handing" ? "none" : "handing")}>
          {t("Hand over")}…
        </button>
        {isSnoozed(interaction, now) ? (
          <button type="button" className="link" onClick={() => void act(() => haveBack(interaction))}>
            {t("Back to the list now")}
          </button>
        ) : (
          <button type="button" className="link" aria-expanded={step === "snoozing"} onClick={() => setStep(step === "snoozing" ? "none" : "snoozing")}>
            {t("Snooze")}…
          </button>
        )}
        {"tool_name" in interaction.payload && (
          <button type="button" className="link" aria-expanded={step === "comparing"} onClick={() => setStep(step === "comparing" ? "none" : "comparing")}>
            {t("Similar decisions")}
          </button>
        )}
        <button type="button" className="link" aria-expanded={step === "sharing"} onClick={() => setStep(step === "sharing" ? "none" : "sharing")}>
          {t("Copy and export")}…
        </button>
      </span>
      {step === "sharing" && <Share interaction={interaction} />}
      {step === "comparing" && <SimilarDecisions interaction={interaction} />}
      {step === "handing" && (
        <HandOver
          people={interaction.assignees}
          hand={(person, note) => void act(() => api.claim(interaction.interaction_id, { person, note, take_over: true, seconds: HANDED_SECONDS }))}
        />
      )}
      {step === "snoozing" && (
        <span className="in-ways" role="group" aria-label={t("Snooze")}>
          {[inAnHour(now), morning(now, 1), morning(now, 7)].map((until) => (
            <button type="button" className="button" key={until.getTime()} onClick={() => void act(() => snooze(interaction, until))}>
              {t("until {at}", { at: clock(until.toISOString(), now) })}
            </button>
          ))}
        </span>
      )}
      {problem !== null && <span className="in-problem">{problem}</span>}
    </>
  );
}

/** A day: who it was handed to need not be at their desk. */
const HANDED_SECONDS = 24 * 3600;

function HandOver({ people, hand }: { people: readonly string[]; hand: (person: string, note: string) => void }) {
  const id = useId();
  const [person, setPerson] = useState(people[0] ?? "");
  const [note, setNote] = useState("");
  return (
    <form
      className="in-hand"
      onSubmit={(event) => {
        event.preventDefault();
        if (person.trim() !== "") hand(person.trim(), note.trim());
      }}
    >
      <label>
        {t("To whom")}
        <input required list={`${id}-people`} maxLength={200} value={person} onChange={(event) => setPerson(event.currentTarget.value)} />
      </label>
      <datalist id={`${id}-people`}>{people.map((name) => <option key={name} value={name} />)}</datalist>
      <label>
        {t("What they should know")} <span className="quiet">{t("(optional)")}</span>
        <input dir="auto" maxLength={500} value={note} onChange={(event) => setNote(event.currentTarget.value)} />
      </label>
      <button className="button">{t("Hand over")}</button>
    </form>
  );
}
