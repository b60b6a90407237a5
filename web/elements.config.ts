// Builds the elements: one file that a page loads, beside the parts that it fetches when a card needs them.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { catalogs } from "./catalogs.ts";
import { cssTarget, quiet, reactIsPreact } from "./vite.config.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("packages/elements"),
  // Parts are found beside the file, wherever it lies.
  base: "./",
  plugins: [catalogs],
  resolve: { alias: reactIsPreact, dedupe: ["preact"] },
  build: {
    outDir: here("../src/sayso/console/static/elements"),
    emptyOutDir: true,
    manifest: "manifest.json",
    target: "es2022",
    cssTarget,
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: {
      ...quiet,
      input: { sayso: here("packages/elements/src/sayso.ts") },
      preserveEntrySignatures: "strict",
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name]-[hash].js",
        assetFileNames: "[name]-[hash][extname]",
        // What every element needs is one file more; in a dozen small ones it would be larger, and slower to come.
        codeSplitting: { groups: [{ name: "base", tags: ["$initial"] }] },
      },
    },
  },
});
