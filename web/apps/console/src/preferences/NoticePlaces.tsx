// Where a person who is away is told beside browsers: mail addresses, and webhooks of their own.
import { type NoticePlace, Problem, t } from "@sayso/core";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { describeError } from "../frame/hooks.ts";
import { useLanguage } from "../language.ts";

export function NoticePlaces() {
  const id = useId();
  const { spoken } = useLanguage();
  const [known, setKnown] = useState<{ mail: boolean; places: readonly NoticePlace[] } | null>(null);
  const [address, setAddress] = useState("");
  const [secret, setSecret] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const box = useRef<HTMLInputElement>(null);

  async function attempt(work: () => Promise<void>) {
    try {
      await work();
      setProblem(null);
      return true;
    } catch (error) {
      const why = error instanceof Problem ? error.detail : describeError(error).title;
      setProblem(why);
      announce(why, "assertive");
      return false;
    }
  }
  const load = async () => setKnown(await api.noticePlaces());
  // Unknown is like none: offline, or not signed in.
  useEffect(() => void load().catch(() => undefined), []);

  async function add(event: FormEvent) {
    event.preventDefault();
    box.current?.focus();
    const isAdded = await attempt(async () => {
      setSecret((await api.putNoticePlace(address.trim(), spoken)).secret);
      setAddress("");
      await load();
    });
    if (isAdded) announce(t("Saved"));
  }

  const forget = (place: NoticePlace) =>
    attempt(async () => {
      await api.forgetNoticePlace(place.id);
      setSecret(null);
      await load();
      announce(t("Nothing more is sent to {address}", { address: place.address }));
      // The pressed button is gone.
      box.current?.focus();
    });

  if (known === null) return null;
  const { mail, places } = known;
  return (
    <form className="places" noValidate onSubmit={(event) => void add(event)}>
      {places.length > 0 && (
        <ul className="allowed">
          {places.map((place) => (
            <li key={place.id}>
              <span>
                {place.by === "mail" ? t("E-mail") : t("Webhook")} <bdi>{place.address}</bdi>
              </span>
              <button type="button" className="button" onClick={() => void forget(place)}>
                {t("Remove")}
                <span className="unseen">: {place.address}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <label htmlFor={id}>{mail ? t("Also tell me at this e-mail address or webhook") : t("Also tell me at this webhook")}</label>
      <div className="row">
        <input
          id={id}
          ref={box}
          type="text"
          inputMode={mail ? "email" : "url"}
          autoComplete={mail ? "email" : "url"}
          dir="ltr"
          placeholder={mail ? "ada@example.org" : "https://"}
          aria-invalid={problem !== null}
          aria-describedby={`${id}-said`}
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
        <button className="button" aria-disabled={address.trim() === ""}>
          {t("Add")}
        </button>
      </div>
      <p className="quiet" id={`${id}-said`}>
        {problem ?? t("Only titles and a link to the request are sent.")}
      </p>
      {secret !== null && (
        <p className="notice">
          {t("What this webhook gets is signed with this secret (Standard Webhooks):")} <code>{secret}</code>
        </p>
      )}
    </form>
  );
}
