// Two sets of tests: core where there is no page, cards and console in jsdom.
import { defineConfig } from "vitest/config";
import { reactIsPreact } from "./vite.config.ts";

export default defineConfig({
  test: {
    projects: [
      {
        test: { name: "core", environment: "node", include: ["packages/core/**/*.test.ts"] },
      },
      {
        resolve: { alias: reactIsPreact, dedupe: ["preact"] },
        test: {
          name: "pages",
          environment: "jsdom",
          include: ["{packages/cards,apps/console}/**/*.test.{ts,tsx}"],
          // Times are shown in the reader's zone; the tests' reader is in this one.
          env: { TZ: "UTC" },
          // So that the alias holds for what testing-library imports, too.
          server: { deps: { inline: [/@testing-library\/preact/, /preact/] } },
        },
      },
    ],
  },
});
