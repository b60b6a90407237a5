// The language of the console: what the person chose, else the first of the browser's languages that is known here.
import { type Catalog, loadServerWords, onSpeak, speak, t } from "@sayso/core";
import { useSyncExternalStore } from "react";
import { api } from "./browser.ts";
import { follow, savePreferences } from "./saving.ts";

/** English stands in the sentences themselves; another language is fetched when it is spoken. */
const CATALOGS = {
  en: async (): Promise<Catalog> => ({}),
  "zh-Hans": async (): Promise<Catalog> => {
    const [catalog] = await Promise.all([import("../../../locales/zh-Hans.po"), loadServerWords()]);
    return catalog.default;
  },
};

type Tag = keyof typeof CATALOGS;
export type LanguageChoice = "auto" | Tag;

/** What can be chosen. A language goes by its own name, whatever is spoken now. */
export const languages: readonly { tag: LanguageChoice; name: () => string }[] = [
  { tag: "auto", name: () => t("As in this browser") },
  { tag: "en", name: () => "English" },
  { tag: "zh-Hans", name: () => "简体中文" },
];

/** Kept here too, so that the next page begins in the right language before the server was asked. */
const KEPT = "sayso:language";

let now: { chosen: LanguageChoice; spoken: Tag } = { chosen: "auto", spoken: "en" };
let latest = now;

/** What is chosen and what is spoken; who uses it is drawn again when that changes. */
export function useLanguage(): { chosen: LanguageChoice; spoken: Tag } {
  return useSyncExternalStore(onSpeak, () => now);
}

/** Speak as this person wants, here at once and from now on wherever they are. Rejects when it could not be kept. */
export async function choose(chosen: LanguageChoice): Promise<void> {
  keep(chosen);
  const saving = savePreferences({ language: chosen });
  await Promise.all([speakAs(chosen), saving]);
}

/** Before anything is drawn: the choice made here before, or the browser's. */
export async function startLanguage(): Promise<void> {
  try {
    await speakAs(asChoice(localStorage.getItem(KEPT)) ?? "auto");
  } catch {
    // The words could not be fetched, or nothing may be kept: then it is English.
  }
}

/** The choice that the person made elsewhere, once the server tells. */
export async function followPreferences(kept = api.preferences()): Promise<void> {
  try {
    await follow(kept, async ({ language }) => {
      const chosen = asChoice(language);
      if (chosen === undefined || chosen === latest.chosen) return;
      keep(chosen);
      await speakAs(chosen);
    });
  } catch {
    // Not signed in, or no connection: the page speaks as it does.
  }
}

/** In somebody else's page: the language of that page, now and when it changes, else the browser's. */
export async function followPage(): Promise<void> {
  const { documentElement: page } = document;
  const follow = () => speakIn("auto", preferred([page.lang, ...navigator.languages]));
  new MutationObserver(() => void follow().catch(() => undefined)).observe(page, { attributeFilter: ["lang"] });
  try {
    await follow();
  } catch {
    // The words could not be fetched: then it is English.
  }
}

async function speakAs(chosen: LanguageChoice): Promise<void> {
  const spoken = chosen === "auto" ? preferred(navigator.languages) : chosen;
  if (await speakIn(chosen, spoken)) document.documentElement.lang = spoken;
}

/** False when another language was asked for while this one was fetched. */
async function speakIn(chosen: LanguageChoice, spoken: Tag): Promise<boolean> {
  const asked = { chosen, spoken };
  latest = asked;
  const catalog = await CATALOGS[spoken]();
  if (latest !== asked) return false;
  now = asked;
  await speak(spoken, catalog, localesFor(chosen, spoken));
  return true;
}

/** Simplified Chinese is not for those who read the traditional script, so scripts are compared as well. */
export function preferred(wanted: readonly string[]): Tag {
  for (const tag of wanted) {
    const { language, script } = locale(tag);
    if (language === "en") return "en";
    if (language === "zh" && script === "Hans") return "zh-Hans";
  }
  return "en";
}

/** A page may give its language as no tag that anybody knows. */
function locale(tag: string): Pick<Intl.Locale, "language" | "script"> {
  try {
    return new Intl.Locale(tag).maximize();
  } catch {
    return { language: "" };
  }
}

/** Dates and numbers go by the reader's region; a language that is not the browser's brings its own. */
function localesFor(chosen: LanguageChoice, spoken: Tag): string[] | undefined {
  const [language = spoken] = spoken.split("-");
  const own = navigator.languages.filter((tag) => tag.split("-")[0] === language);
  if (own.length > 0) return own;
  return chosen === "auto" ? undefined : [spoken];
}

function asChoice(value: unknown): LanguageChoice | undefined {
  return languages.find(({ tag }) => tag === value)?.tag;
}

function keep(chosen: LanguageChoice): void {
  try {
    localStorage.setItem(KEPT, chosen);
  } catch {
    // The server keeps it.
  }
}
