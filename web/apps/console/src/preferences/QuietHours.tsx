// The hours in which a person is told nothing; what still waits then is told when they end.
import { isObject, type JsonValue, Problem, t } from "@sayso/core";
import { useEffect, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { follow, savePreferences } from "../saving.ts";

interface Hours {
  from: string;
  until: string;
  zone: string;
}

export function QuietHours() {
  const [hours, setHours] = useState<Hours | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(
    () =>
      void follow(api.preferences(), (kept) => setHours(hoursIn(kept["quiet_hours"])))
        // They stay as they are; saving says what is wrong.
        .catch(() => undefined),
    [],
  );

  async function save(next: Hours | null) {
    setHours(next);
    try {
      await savePreferences({ quiet_hours: next === null ? null : { ...next } });
      setProblem(null);
      announce(t("Saved"));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error.detail);
      announce(error.detail, "assertive");
    }
  }

  const time = (name: "from" | "until", label: string) => (
    <label className="pick">
      <span>{label}</span>
      <input
        type="time"
        value={hours?.[name] ?? ""}
        onChange={(event) => hours !== null && event.currentTarget.value !== "" && void save({ ...hours, [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <>
      <label className="choice">
        <input
          type="checkbox"
          checked={hours !== null}
          onChange={(event) => void save(event.currentTarget.checked ? { from: "22:00", until: "07:00", zone: here() } : null)}
        />
        {t("Quiet hours: no notifications until they end")}
      </label>
      {hours !== null && (
        <div className="choices">
          {time("from", t("From"))}
          {time("until", t("Until"))}
          <p className="quiet">{hours.zone}</p>
        </div>
      )}
      {problem !== null && <p className="in-problem">{problem}</p>}
    </>
  );
}

function hoursIn(value: JsonValue | undefined): Hours | null {
  if (!isObject(value)) return null;
  const { from, until, zone } = value;
  return typeof from === "string" && typeof until === "string" && typeof zone === "string" ? { from, until, zone } : null;
}

const here = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
