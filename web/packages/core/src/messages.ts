// What the server says, for this reader: by its code where their language knows it, else as the text that stands beside it.
import { lazy } from "./lazy.ts";
import { language } from "./text.ts";
import type { JsonObject, JsonValue } from "./wire/types.ts";

/** A text of the server as it names it; both are absent where an agent, an application or an older server speaks. */
export interface Coded {
  code?: string | null;
  params?: JsonObject | null;
}

/** What a problem is to people, by its code alone. */
export interface ProblemText {
  title: string;
  text: string;
  /** Whether the server's own sentence, which names what is not to be guessed, follows. */
  saysMore: boolean;
}

/** English stands in the texts themselves; the catalogues of `src/sayso/locales` are fetched with their language. */
const LANGUAGES = {
  "zh-Hans": lazy(async () => {
    const [{ renderer }, { default: catalogue }] = await Promise.all([
      import("./renderMessage.ts"),
      import("../../../../src/sayso/locales/zh-Hans.json"),
    ]);
    return renderer(catalogue, "zh-Hans");
  }),
};

/** Asked for with every language that is not the server's. */
export async function loadMessages(tag: string): Promise<void> {
  await catalogueOf(tag)?.load();
}

function catalogueOf(tag: string) {
  return tag in LANGUAGES ? LANGUAGES[tag as keyof typeof LANGUAGES] : undefined;
}

const inLanguage = () => catalogueOf(language())?.now();

/** A text of the server. */
export function messageText(said: Coded | null | undefined, stored: string): string {
  return said?.code == null ? stored : (inLanguage()?.(said.code, said.params ?? {}) ?? stored);
}

/** One of the texts of what a code says: "title". */
export function partText(said: Coded | null | undefined, part: string, stored: string): string {
  return messageText(said?.code == null ? null : { ...said, code: `${said.code}.${part}` }, stored);
}

/** What people need to know of a problem; null where the server's own words are as good. */
export function problemText(code: string): ProblemText | null {
  const say = inLanguage();
  const [title, text] = [say?.(`${code}.title`, {}), say?.(`${code}.text`, {})];
  if (title === undefined || text === undefined) return null;
  return { title, text, saysMore: say?.(`${code}.more`, { detail: "" }) !== undefined };
}

/** A message that the server speaks, by paragraphs; null for any other. */
export function spokenText(metadata: JsonObject): string | null {
  const said = metadata["said"];
  if (!Array.isArray(said)) return null;
  return said.map((one) => messageText(one as Coded, String((one as JsonObject)["text"] ?? ""))).join("\n\n");
}

/** A parameter that is a message itself. */
export function messageIn(value: JsonValue | undefined): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return String(value ?? "");
  return messageText(value as Coded, String(value["text"] ?? ""));
}
