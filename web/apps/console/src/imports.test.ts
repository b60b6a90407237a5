// No two files of ours import each other, directly or through others, lazily or not.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expect, it } from "vitest";

const web = resolve(import.meta.dirname, "../../..");
const files = ["apps", "packages"]
  .flatMap((folder) => readdirSync(`${web}/${folder}`, { recursive: true }).map((name) => `${web}/${folder}/${String(name)}`))
  .filter((path) => /\/src\/.*\.tsx?$/.test(path) && !/\.test\.|\.d\.ts$|\/node_modules\/|\/dist\//.test(path));

function importsOf(path: string): string[] {
  const code = readFileSync(path, "utf8").replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  return [...code.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, name = ""]) => resolve(dirname(path), name));
}

function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const circles: string[][] = [];
  function follow(path: string, way: readonly string[]): void {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path]);
    if (done.has(path) || way.includes(path)) return;
    for (const next of imports.get(path) ?? []) follow(next, [...way, path]);
    done.add(path);
  }
  for (const path of imports.keys()) follow(path, []);
  return circles;
}

it("finds a circle", () => {
  const imports = new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]]]);
  expect(circlesIn(imports)).toEqual([["b", "c", "b"]]);
});

it("there is none", () => {
  expect(files.length).toBeGreaterThan(100);
  expect(circlesIn(new Map(files.map((path) => [path, importsOf(path)])))).toEqual([]);
});
