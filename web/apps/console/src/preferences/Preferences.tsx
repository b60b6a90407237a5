// A person's preferences: stored on the server for all devices, and revoked here.
import { type AlwaysAllowed, Problem, t } from "@sayso/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { chooseFor, type Choices, type Theme, useChoices } from "../frame/choices.ts";
import { Failed } from "../frame/Failed.tsx";
import { pageTitle, useTitle } from "../frame/hooks.ts";
import { mayNotify } from "../frame/notify.ts";
import { type PageProps, waitingIn } from "../frame/overview.ts";
import { serialQueue } from "../serialQueue.ts";
import { choose, type LanguageChoice, languages, useLanguage } from "../language.ts";
import { Link, pathTo } from "../router.tsx";
import { NoticePlaces } from "./NoticePlaces.tsx";
import { Push } from "./Push.tsx";
import { QuietHours } from "./QuietHours.tsx";
import { Remembered } from "./Remembered.tsx";
import { Rules } from "./Rules.tsx";
import "./preferences.css";

export function Preferences({ overview }: PageProps) {
  const { theme, shortcut } = useChoices();
  const { chosen } = useLanguage();
  const [problem, setProblem] = useState<Problem | null>(null);
  useTitle(pageTitle(t("Preferences"), waitingIn(overview)));

  /** It already applies on this page; tell the person if the server could not store it. */
  async function save(work: Promise<void>) {
    try {
      await work;
      setProblem(null);
      announce(t("Saved"));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
      announce(unsavedWords(error), "assertive");
    }
  }
  const set = <N extends keyof Choices>(name: N, value: Choices[N]) => save(chooseFor(name, value));

  return (
    <div className="page narrow preferences">
      <h2 tabIndex={-1}>{t("Preferences")}</h2>
      <p className="quiet">{t("Synced to your account.")}</p>
      {problem !== null && <p className="notice">{unsavedWords(problem)}</p>}
      <Part title={t("Look and language")}>
        <fieldset>
          <legend>{t("Theme")}</legend>
          <div className="choices">
            {(["auto", "light", "dark"] as const).map((name) => (
              <label key={name} className="choice">
                <input type="radio" name="theme" value={name} checked={theme === name} onChange={() => void set("theme", name)} />
                {themeWords(name)}
              </label>
            ))}
          </div>
        </fieldset>
        <label className="pick">
          <span>{t("Language")}</span>
          <select value={chosen} onChange={(event) => void save(choose(event.currentTarget.value as LanguageChoice))}>
            {languages.map(({ tag, name }) => (
              <option key={tag} value={tag} {...(tag === "auto" ? {} : { lang: tag })}>
                {name()}
              </option>
            ))}
          </select>
        </label>
      </Part>
      <Part title={t("Notifications")}>
        <Notify set={(on) => set("notifications", on)} />
        <Push />
        <NoticePlaces />
        <QuietHours />
      </Part>
      <Part title={t("Keyboard")}>
        <label className="choice">
          <input type="checkbox" checked={shortcut} onChange={(event) => void set("shortcut", event.currentTarget.checked)} />
          {t("Use shortcuts")}
        </label>
        <p className="quiet">
          {t("Alt+Shift+J goes to the next card that waits. In the inbox, use j/k or the arrow keys.")}
        </p>
      </Part>
      <Part title={t("Always allowed")}>
        <AlwaysAllow />
      </Part>
      <Part title={t("Rules")}>
        <Rules />
      </Part>
      <Part title={t("Your last answers")}>
        <Remembered />
      </Part>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="part" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Notify({ set }: { set: (on: boolean) => Promise<void> }) {
  const { notifications } = useChoices();
  const isThere = "Notification" in globalThis;
  const [permission, setPermission] = useState(isThere ? Notification.permission : "denied");
  const isOn = notifications && mayNotify();

  async function enqueue(on: boolean) {
    // Browsers ask for permission only in response to a press.
    if (on && permission !== "granted") {
      const granted = await Notification.requestPermission();
      setPermission(granted);
      if (granted !== "granted") return announce(blockedWords(), "assertive");
    }
    await set(on);
  }

  if (!isThere) return <p className="quiet">{t("This browser shows no notifications. The title of the page counts what waits.")}</p>;
  return (
    <>
      <label className="choice">
        <input type="checkbox" checked={isOn} onChange={(event) => void enqueue(event.currentTarget.checked)} />
        {t("Notify me about new requests when this tab is in the background")}
      </label>
      {permission === "denied" ? (
        <p className="quiet">{blockedWords()}</p>
      ) : notifications && permission === "default" ? (
        <p className="quiet">{t("You chose this on another device. Check it here too, and this browser asks for permission.")}</p>
      ) : null}
    </>
  );
}

function AlwaysAllow() {
  const [rules, setRules] = useState<readonly AlwaysAllowed[] | null>(null);
  const latest = useRef<readonly AlwaysAllowed[]>([]);
  const [enqueue] = useState(serialQueue);
  const [problem, setProblem] = useState<Problem | null>(null);

  async function attempt(work: () => Promise<void>) {
    try {
      await work();
      setProblem(null);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  }
  const load = () => attempt(async () => setRules((latest.current = await api.alwaysAllowed())));
  useEffect(() => void load(), []);

  const revoke = (chat: string, tool: string) =>
    attempt(async () => {
      const tools = latest.current.find(({ chat_id }) => chat_id === chat)?.tools ?? [];
      await api.setChatPreference(chat, "always_allow", tools.filter((name) => name !== tool));
      await load();
      announce(t("{tool} asks again from now on", { tool }));
      // Render first: the pressed button is gone.
      requestAnimationFrame(() => {
        const place = document.getElementById("always-allowed");
        (place?.querySelector("button") ?? place)?.focus();
      });
    });

  return (
    <div id="always-allowed" tabIndex={-1}>
      {problem !== null && <Failed problem={problem} again={() => void load()} />}
      {rules === null && problem === null && <p className="quiet">{t("Loading…")}</p>}
      {rules?.length === 0 && <p className="quiet">{t("None. Every tool asks each time.")}</p>}
      <ul className="allowed">
        {rules?.flatMap((rule) =>
          rule.tools.map((tool) => (
            <li key={`${rule.chat_id} ${tool}`}>
              <span>
                <b>{tool}</b>{" "}
                <Link to={pathTo.chat(rule.chat_id)}>
                  <bdi>{rule.title || t("New chat")}</bdi>
                </Link>
              </span>
              <button type="button" className="button" onClick={() => void enqueue(() => revoke(rule.chat_id, tool))}>
                {t("Ask again")}
                <span className="unseen">: {tool}</span>
              </button>
            </li>
          )),
        )}
      </ul>
    </div>
  );
}

const blockedWords = () => t("This browser does not allow notifications from this page. You can change that in the site settings, next to the address.");
const unsavedWords = (problem: Problem) => t("It holds in this browser, but could not be saved: {why}", { why: problem.detail });

function themeWords(theme: Theme): string {
  switch (theme) {
    case "auto":
      return t("Match system");
    case "light":
      return t("Light");
    case "dark":
      return t("Dark");
  }
}
