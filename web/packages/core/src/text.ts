// What people read, in their language: the English sentence is the key, another language is loaded when it is chosen.
import { type Messages, setupI18n } from "@lingui/core";

export type Values = Record<string, string | number>;

/** A catalog in its compiled form: what `locales/*.po` becomes at build time. */
export type Catalog = Messages;

/** The language of the sentences in the source. */
export const SOURCE = "en";
/** `{name}`, or `{n, plural, one {# row} other {# rows}}`: all that an English sentence may hold. */
const PLACE = /\{(\w+)(?:, plural, one \{([^{}]*)\} other \{([^{}]*)\})?\}/;

const i18n = setupI18n({ locale: SOURCE, messages: { [SOURCE]: {} } });
// English needs no catalog: a sentence stands for itself.
i18n.setMessagesCompiler((sentence) => {
  const [first = "", ...rest] = sentence.split(PLACE);
  const tokens: CompiledTokens = [first];
  for (let at = 0; at < rest.length; at += 4) {
    const [name = "", one, other, after = ""] = rest.slice(at, at + 4);
    const isPlural = one !== undefined && other !== undefined;
    tokens.push(isPlural ? [name, "plural", { one: one.split(/(#)/), other: other.split(/(#)/) }] : [name], after);
  }
  return tokens;
});

type CompiledTokens = Exclude<Messages[string], string>;

/** `t("{who} answered", { who })`. The first argument is always written out, so that it can be found and translated. */
export function t(sentence: string, values?: Values): string {
  return i18n._(sentence, values);
}

/** The language that is spoken now, as a BCP 47 tag; for `Intl` and the `lang` attribute. */
export function language(): string {
  return i18n.locale;
}

/** The reader's own locales, for dates and numbers; undefined is as the system has it. */
export function locales(): string[] | undefined {
  return i18n.locales as string[] | undefined;
}

/** Use this catalog from now on. `speak` also loads what the server says. */
export function activate(tag: string, catalog: Catalog, locales?: string[]): void {
  i18n.loadAndActivate({ locale: tag, messages: catalog, ...(locales === undefined ? {} : { locales }) });
}

/** Call `listener` on every change of language; returns a function that removes it. */
export function onSpeak(listener: () => void): () => void {
  return i18n.on("change", listener);
}
