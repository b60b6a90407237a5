// The look holds in both directions of writing: no rule of ours names a left or a right.
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const web = `${import.meta.dirname}/../../..`;
const sheets = ["apps", "packages"]
  .flatMap((folder) => readdirSync(`${web}/${folder}`, { recursive: true }).map((name) => `${folder}/${String(name)}`))
  .filter((path) => /\/src\/.*\.css$/.test(path))
  .map((path) => [path, readFileSync(`${web}/${path}`, "utf8")] as const);

const SIDES = /(?:^|-)(?:left|right)(?:-|$)/;
/** top right bottom left: right only where both sides are the same. */
const FOUR_SIDED = /^(?:margin|padding|inset|border-(?:width|style|color)|scroll-(?:margin|padding))$/;

function isPhysical(property: string, value: string): boolean {
  if (SIDES.test(property)) return true;
  if (/^(?:text-align|float|clear|background-position|transform-origin)$/.test(property)) return /\b(?:left|right)\b/.test(value);
  if (/\bto (?:left|right)\b|\btranslate(?:X|3d)?\(/.test(value) || property === "translate") return true;
  const parts = value.match(/(?:[^\s(]|\([^)]*\))+/g) ?? [];
  if (FOUR_SIDED.test(property)) return parts.length === 4 && parts[1] !== parts[3];
  return property === "border-radius" && new Set(parts).size > 1;
}

function physicalRules(css: string): string[] {
  const bare = css.replace(/\/\*[^]*?\*\//g, "");
  return [...bare.matchAll(/(?<=[{};]\s*)([a-z-]+)\s*:\s*([^;{}]+)(?=[;}])/g)]
    .filter(([, property = "", value = ""]) => isPhysical(property, value.trim()))
    .map(([rule]) => rule);
}

it("finds what it looks for", () => {
  const wrong = ["margin-left: 1px", "left: 0", "padding: 1px 2px 1px 3px", "text-align: right", "border-radius: 4px 0 0 4px"];
  const fine = ["margin-inline: 1px", "padding: 1px 2px 3px 2px", "border-radius: 4px", "inset-inline-start: 0", "text-align: end"];
  expect(physicalRules(`a { ${wrong.join("; ")}; & b { ${fine.join("; ")}; } }`)).toEqual(wrong);
});

it.each(sheets)("%s", (_, css) => {
  expect(css).not.toBe("");
  expect(physicalRules(css)).toEqual([]);
});
