// Gathers every `t("…")` of the sources into the catalogs; with --check it fails where a catalog lags behind.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { compileMessageOrThrow } from "@lingui/message-utils/compileMessage";
import PO from "pofile";

const web = new URL("../", import.meta.url);
/** The language of the sources: its sentences are the keys and need no translation. */
const SOURCE = "en";
const LANGUAGES = [SOURCE, "zh-Hans"];

const CALL = /(?<![\w.$]|function )t\(\s*("(?:[^"\\]|\\.)*")?/g;
/** All that core/text.ts understands in an English sentence. */
const PLACE = /\{\w+(?:, plural, one \{[^{}]*\} other \{[^{}]*\})?\}/g;

const problems = [];
const sentences = sentencesOf(sources());
const isCheck = process.argv.includes("--check");
for (const language of LANGUAGES) {
  const path = new URL(`locales/${language}.po`, web);
  const before = readFileSync(path, "utf8");
  const said = new Map();
  // A merge of branches may leave a sentence twice; the one that was translated counts.
  for (const { msgid, msgstr } of PO.parse(before).items) said.set(msgid, msgstr[0] || said.get(msgid) || "");
  const now = catalog(language, said);
  if (isCheck) check(language, said);
  else if (now !== before) writeFileSync(path, now);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${sentences.length} texts in ${LANGUAGES.join(", ")}`);

function sources() {
  return ["packages", "apps"].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, web), { recursive: true })
      .map((name) => `${folder}/${name}`)
      .filter((name) => /\/src\/.*\.tsx?$/.test(name) && !/node_modules|\.test\.|\/testing\//.test(name)),
  );
}

function sentencesOf(files) {
  const found = new Set();
  for (const file of files) {
    const source = readFileSync(new URL(file, web), "utf8").replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
    for (const [, literal] of source.matchAll(CALL)) {
      if (literal === undefined) problems.push(`${file}: a text is not written out where it is used, so nobody can translate it`);
      else found.add(JSON.parse(literal));
    }
  }
  for (const sentence of found) {
    if (/[{}]/.test(sentence.replace(PLACE, ""))) problems.push(`Not a form that core/text.ts knows: ${sentence}`);
  }
  return [...found].sort();
}

function catalog(language, said) {
  const po = new PO();
  po.headers = { Language: language, "Content-Type": "text/plain; charset=utf-8" };
  po.headerOrder = Object.keys(po.headers);
  po.items = sentences.map((sentence) => {
    const item = new PO.Item();
    item.msgid = sentence;
    item.msgstr = [language === SOURCE ? "" : (said.get(sentence) ?? "")];
    return item;
  });
  return `${po.toString()}\n`;
}

function check(language, said) {
  const wanted = new Set(sentences);
  for (const sentence of sentences) {
    const words = said.get(sentence);
    if (words === undefined) problems.push(`${language}: missing, run \`npm run texts\`: ${sentence}`);
    else if (language === SOURCE) continue;
    else if (words === "") problems.push(`${language}: not translated: ${sentence}`);
    else if (placesOf(words) !== placesOf(sentence)) problems.push(`${language}: other places than the English: ${sentence}`);
  }
  for (const sentence of said.keys()) {
    if (!wanted.has(sentence)) problems.push(`${language}: no longer said, run \`npm run texts\`: ${sentence}`);
  }
}

/** The names in braces and what each is; a plural may say its number or leave it out. */
function placesOf(sentence) {
  try {
    const tokens = compileMessageOrThrow(sentence).filter(Array.isArray);
    return [...new Set(tokens.map(([name, kind = ""]) => `${name} ${kind}`))].sort().join();
  } catch (error) {
    return `not readable: ${error.message}`;
  }
}
