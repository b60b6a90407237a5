// Builds the elements: one file that a page loads, and chunks that it fetches when a card needs them.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { catalogs } from "./catalogs.ts";
import { chunkLoading } from "./chunkLoading.ts";
import { cssTarget, quiet, reactIsPreact } from "./vite.config.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("packages/elements"),
  // Chunks are resolved relative to the file, wherever it is served.
  base: "./",
  plugins: [catalogs, chunkLoading],
  resolve: { alias: reactIsPreact, dedupe: ["preact"] },
  build: {
    outDir: here("../src/sayso/console/static/elements"),
    emptyOutDir: true,
    manifest: "manifest.json",
    target: "es2022",
    cssTarget,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      ...quiet,
      input: { sayso: here("packages/elements/src/sayso.ts") },
      preserveEntrySignatures: "strict",
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "[name]-[hash].js",
        assetFileNames: "[name]-[hash][extname]",
        // One chunk with what every element needs; a dozen small ones would be larger and slower.
        codeSplitting: { groups: [{ name: "base", tags: ["$initial"] }] },
      },
    },
  },
});
