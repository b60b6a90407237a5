// The language of the console: the person's choice, else the first supported one of the browser's languages.
import { type Catalog, retryUntilLoaded, lazy, loadMessages, onSpeak, speak, t } from "@sayso/core";
import { useSyncExternalStore } from "react";
import { api } from "./browser.ts";
import { follow, savePreferences } from "./saving.ts";

const chinese = lazy(() => import("../../../locales/zh-Hans.po"));

/** English is in the source; other catalogs are loaded on demand. */
const CATALOGS = {
  en: async (): Promise<Catalog> => ({}),
  "zh-Hans": async (): Promise<Catalog> => {
    const [catalog] = await Promise.all([chinese.load(), loadMessages("zh-Hans")]);
    return catalog.default;
  },
};

type Tag = keyof typeof CATALOGS;
export type LanguageChoice = "auto" | Tag;

/** The choices. Each language is listed by its own name. */
export const languages: readonly { tag: LanguageChoice; name: () => string }[] = [
  { tag: "auto", name: () => t("Match browser") },
  { tag: "en", name: () => "English" },
  { tag: "zh-Hans", name: () => "简体中文" },
];

/** Also stored locally, so that the next page starts in the right language at once. */
const KEPT = "sayso:language";

let now: { chosen: LanguageChoice; spoken: Tag } = { chosen: "auto", spoken: "en" };
let latest = now;

/** Return the choice and the current language; renders again when they change. */
export function useLanguage(): { chosen: LanguageChoice; spoken: Tag } {
  return useSyncExternalStore(onSpeak, () => now);
}

/** Switch here at once and store the choice for all devices. Rejects if it could not be stored. */
export async function choose(chosen: LanguageChoice): Promise<void> {
  keep(chosen);
  const saving = savePreferences({ language: chosen });
  await Promise.all([speakAs(chosen), saving]);
}

/** Called before the first render: the stored choice, or the browser's language. */
export async function startLanguage(): Promise<void> {
  try {
    await speakAs(asChoice(localStorage.getItem(KEPT)) ?? "auto");
  } catch {
    // No storage, or the catalog could not be loaded: English until it is.
  }
}

/** Apply the choice from another device, once the server has answered. */
export async function followPreferences(kept = api.preferences()): Promise<void> {
  try {
    await follow(kept, async ({ language }) => {
      const chosen = asChoice(language);
      if (chosen === undefined || chosen === latest.chosen) return;
      keep(chosen);
      await speakAs(chosen);
    });
  } catch {
    // Not signed in or offline: keep the current language.
  }
}

/** In a host page: follow the page's language, else the browser's. */
export async function followPage(): Promise<void> {
  const { documentElement: page } = document;
  const follow = () => speakIn("auto", preferred([page.lang, ...navigator.languages]), () => undefined);
  new MutationObserver(() => void follow().catch(() => undefined)).observe(page, { attributeFilter: ["lang"] });
  try {
    await follow();
  } catch {
    // The catalog could not be loaded: English until it is.
  }
}

async function speakAs(chosen: LanguageChoice): Promise<void> {
  const spoken = chosen === "auto" ? preferred(navigator.languages) : chosen;
  await speakIn(chosen, spoken, () => {
    document.documentElement.lang = spoken;
  });
}

/** Rejects if the catalog cannot be loaded now; it is applied once it is, unless another language was chosen meanwhile. */
async function speakIn(chosen: LanguageChoice, spoken: Tag, isSpoken: () => void): Promise<void> {
  const asked = { chosen, spoken };
  latest = asked;
  const load = CATALOGS[spoken];
  try {
    await take(await load());
  } catch (reason) {
    retryUntilLoaded({ load }, { loaded: (catalog) => void take(catalog), failed: () => undefined });
    throw reason;
  }

  async function take(catalog: Catalog): Promise<void> {
    if (latest !== asked) return;
    now = asked;
    await speak(spoken, catalog, localesFor(chosen, spoken));
    isSpoken();
  }
}

/** Compare scripts too: Simplified Chinese is not for readers of the traditional script. */
export function preferred(wanted: readonly string[]): Tag {
  for (const tag of wanted) {
    const { language, script } = locale(tag);
    if (language === "en") return "en";
    if (language === "zh" && script === "Hans") return "zh-Hans";
  }
  return "en";
}

/** A page's lang attribute may be an invalid tag. */
function locale(tag: string): Pick<Intl.Locale, "language" | "script"> {
  try {
    return new Intl.Locale(tag).maximize();
  } catch {
    return { language: "" };
  }
}

/** Dates and numbers follow the reader's region, unless the language is not one of the browser's. */
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
    // The server stores it.
  }
}
