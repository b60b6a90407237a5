// The box by which this browser is told what waits while no page is open.
import { t } from "@sayso/core";
import { useEffect, useState } from "react";
import { announce } from "../frame/announce.tsx";
import { useLanguage } from "../language.ts";
import { type PushState, pushState, startPush, stopPush } from "./push.ts";

export function Push() {
  const { spoken } = useLanguage();
  const [state, setState] = useState<PushState>("impossible");
  const [isRefused, setIsRefused] = useState(false);
  // Unknown is like impossible: offline, or not signed in.
  const load = () => pushState().then(setState, () => setState("impossible"));
  useEffect(() => void load(), []);

  async function change(on: boolean) {
    try {
      await (on ? startPush(spoken) : stopPush(spoken));
      setIsRefused(false);
      announce(t("Saved"));
    } catch {
      setIsRefused(true);
      announce(refusedWords(), "assertive");
    }
    await load();
  }

  if (state === "impossible") return null;
  return (
    <>
      <label className="choice">
        <input type="checkbox" checked={state === "on"} onChange={(event) => void change(event.currentTarget.checked)} />
        {t("Also notify this browser when no page of Sayso is open")}
      </label>
      <p className="quiet">{isRefused ? refusedWords() : t("Only titles are sent, encrypted, through the push service of the browser’s maker.")}</p>
    </>
  );
}

const refusedWords = () => t("This browser could not be signed up for notifications. Check that it allows them for this page.");
