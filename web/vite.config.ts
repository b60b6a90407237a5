// Builds the console into the Python package: hashed names, a manifest, and nothing inline.
import { fileURLToPath } from "node:url";
import { type BuildEnvironmentOptions, defineConfig } from "vite";
import { catalogs } from "./catalogs.ts";
import { chunkLoading } from "./chunkLoading.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** React's names mean Preact; vitest uses the same table. The longer names come first. */
export const reactIsPreact = [
  { find: "react/jsx-runtime", replacement: "preact/jsx-runtime" },
  { find: "react/jsx-dev-runtime", replacement: "preact/jsx-dev-runtime" },
  { find: "react-dom/client", replacement: "preact/compat/client" },
  { find: "react-dom", replacement: "preact/compat" },
  { find: "react", replacement: "preact/compat" },
];

const sayso = "http://127.0.0.1:8765";

/** Browsers that know light-dark() and nested rules, so that CSS reaches them as it was written. */
export const cssTarget = ["chrome123", "firefox120", "safari17.5"];

/** "use client" in a library means nothing in a page, and a page of warnings would hide the one that counts. */
export const quiet: NonNullable<BuildEnvironmentOptions["rolldownOptions"]> = {
  onLog: (level, entry, log) => {
    if (entry.code !== "MODULE_LEVEL_DIRECTIVE") log(level, entry);
  },
};

export default defineConfig({
  root: here("apps/console"),
  // The server may be at a path: it says in the page how far up its files are.
  base: "./",
  plugins: [catalogs, chunkLoading],
  resolve: { alias: reactIsPreact, dedupe: ["preact"] },
  // `npm run dev` beside a running `make demo`; the server trusts only its own origin.
  server: {
    proxy: {
      "/api": { target: sayso, ws: true, rewriteWsOrigin: true, headers: { origin: sayso } },
    },
  },
  build: {
    outDir: here("../src/sayso/console/static"),
    emptyOutDir: true,
    manifest: "manifest.json",
    target: "es2022",
    cssTarget,
    // The Content-Security-Policy allows neither inline scripts nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: quiet,
  },
});
