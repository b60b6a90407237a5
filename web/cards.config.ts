// Builds @sayso/cards for npm: one module with lazy chunks; React comes from the application.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { catalogs } from "./catalogs.ts";
import { cssTarget } from "./vite.config.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("packages/cards"),
  plugins: [catalogs],
  build: {
    outDir: here("packages/cards/dist"),
    emptyOutDir: true,
    target: "es2022",
    cssTarget,
    minify: false,
    lib: {
      entry: { cards: here("packages/cards/src/index.ts"), core: here("packages/core/src/index.ts"), "zh-Hans": here("locales/zh-Hans.po") },
      formats: ["es"],
    },
    rolldownOptions: {
      external: [/^react($|\/)/, /^react-dom($|\/)/, "marked", "@cfworker/json-schema", /^@rjsf\//, "@lingui/core"],
      output: { chunkFileNames: "[name]-[hash].js" },
    },
  },
});
