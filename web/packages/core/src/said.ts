// What the server said, for this reader. It speaks English; the words for another language come with that language.
import { language } from "./text.ts";
import type { ProblemWords } from "./serverWords.ts";
import type { CardKind, JsonValue } from "./wire/types.ts";

let known: typeof import("./serverWords.ts") | null = null;

/** Asked for with every language that is not the server's. */
export async function loadServerWords(): Promise<void> {
  known ??= await import("./serverWords.ts");
}

const words = () => (language() === "en" ? null : known);

/** What people need to know of a problem, by its code; null where the server's own words are as good. */
export const problemWords = (code: string): ProblemWords | null => words()?.problemIn(code) ?? null;

/** A card's title, where the server made it. */
export const titleWords = (card: CardKind, title: string): string => words()?.titleIn(card, title) ?? title;

/** A whole sentence, where it is the server's own. */
export const sentenceWords = (said: string): string => words()?.sentenceIn(said) ?? said;

/** A value that the server has put in words. */
export const valueWords = (text: string, value: JsonValue | undefined, schema: JsonValue | undefined): string =>
  words()?.valueIn(text, value, schema) ?? text;

/** What the gate itself says in a chat. */
export const replyWords = (said: string): string => words()?.replyIn(said) ?? said;
