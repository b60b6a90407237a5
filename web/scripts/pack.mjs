// Makes packages/cards/dist what `npm publish` takes: modules, types, style sheets, and a package.json of its own.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const web = fileURLToPath(new URL("../", import.meta.url));
const dist = `${web}packages/cards/dist/`;
const run = (...command) => execFileSync("npx", command, { cwd: web, stdio: ["ignore", "ignore", "inherit"] });

run("vite", "build", "--config", "cards.config.ts", "--logLevel", "warn");
run("tsc", "-p", "packages/cards/tsconfig.types.json");

// Both packages travel in one, so the name of the inner one becomes a way inside.
const types = `${dist}types/`;
for (const name of readdirSync(types, { recursive: true })) {
  if (!name.endsWith(".d.ts")) continue;
  const up = "../".repeat(name.split("/").length - 1) || "./";
  const text = readFileSync(types + name, "utf8");
  writeFileSync(types + name, text.replaceAll('"@sayso/core"', `"${up}core/src/index.ts"`));
}

writeFileSync(
  `${types}zh-Hans.d.ts`,
  'declare const catalog: import("./core/src/index.ts").Catalog;\nexport default catalog;\n',
);

cpSync(`${web}packages/cards/src/styles`, `${dist}styles`, { recursive: true });
cpSync(`${web}packages/cards/README.md`, `${dist}README.md`);

const { name, description, version, license, dependencies, peerDependencies } = JSON.parse(
  readFileSync(`${web}packages/cards/package.json`, "utf8"),
);
const core = JSON.parse(readFileSync(`${web}packages/core/package.json`, "utf8"));
const { "@sayso/core": _, ...others } = { ...dependencies, ...core.dependencies };
const published = {
  name,
  description,
  version,
  license,
  type: "module",
  exports: {
    ".": { types: "./types/cards/src/index.d.ts", default: "./cards.js" },
    "./core": { types: "./types/core/src/index.d.ts", default: "./core.js" },
    "./zh-Hans": { types: "./types/zh-Hans.d.ts", default: "./zh-Hans.js" },
    "./cards.css": "./styles/cards.css",
    "./tokens.css": "./styles/tokens.css",
  },
  sideEffects: ["**/*.css"],
  dependencies: others,
  peerDependencies,
};
writeFileSync(`${dist}package.json`, `${JSON.stringify(published, null, 2)}\n`);
