// Compiles `locales/*.po` where they are imported: the page gets tokens, and no parser of messages.
import { compileMessage } from "@lingui/message-utils/compileMessage";
import PO from "pofile";
import type { Plugin } from "vite";

/** English sentences stand for themselves; only what a parser must understand is compiled. */
const NEEDS_A_PARSER = /\{\s*\w+\s*,/;

export const catalogs: Plugin = {
  name: "sayso-catalogs",
  transform(source, path) {
    if (!path.endsWith(".po")) return null;
    const compiled = compile(source, path.endsWith("/en.po"));
    return { code: `export default ${JSON.stringify(compiled)};`, map: null };
  },
};

function compile(source: string, isEnglish: boolean): Record<string, unknown> {
  const entries = PO.parse(source).items.map(({ msgid, msgstr: [translated = ""] }) => [msgid, translated] as const);
  const wanted = isEnglish
    ? entries.filter(([english]) => NEEDS_A_PARSER.test(english)).map(([english]) => [english, english] as const)
    : entries.filter(([, translated]) => translated !== "");
  return Object.fromEntries(wanted.map(([english, words]) => [english, compileMessage(words)]));
}
