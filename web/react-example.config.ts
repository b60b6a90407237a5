// Serves examples/embed/react with real React and the published form of the cards, for the test that uses it.
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const sayso = process.env["SAYSO_SERVER"] ?? "http://127.0.0.1:8765";

/** What the example would have installed lies in web/ here. */
const installed: Plugin = {
  name: "installed",
  enforce: "pre",
  resolveId(source, importer) {
    const isPackage = /^[a-z@]/i.test(source);
    const isElsewhere = importer?.startsWith(here("../examples/")) || importer?.startsWith(here("packages/cards/dist"));
    if (!isPackage || !isElsewhere) return null;
    const cards = /^@sayso\/cards(.*)$/.exec(source);
    const files: Record<string, string> = {
      ...{ "": "cards.js", "/core": "core.js", "/zh-Hans": "zh-Hans.js", "/cards.css": "styles/cards.css" },
    };
    if (cards) return here(`packages/cards/dist/${files[cards[1] ?? ""]}`);
    return this.resolve(source, here("./react-example.config.ts"), { skipSelf: true });
  },
};

export default defineConfig({
  root: here("../examples/embed/react"),
  plugins: [installed],
  build: { outDir: here("dist/react-example"), emptyOutDir: true, target: "es2022" },
  preview: { proxy: { "/api": { target: sayso, headers: { origin: sayso } } } },
});
