// Two sets of tests: core where there is no page, cards and console in jsdom.
import { defineConfig } from "vitest/config";
import { catalogs } from "./catalogs.ts";
import { reactIsPreact } from "./vite.config.ts";

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [catalogs],
        test: { name: "core", environment: "node", include: ["packages/core/**/*.test.ts"] },
      },
      {
        plugins: [catalogs],
        resolve: { alias: reactIsPreact, dedupe: ["preact"] },
        test: {
          name: "pages",
          environment: "jsdom",
          // A jsdom for each file would take longer than most files; loaded.ts keeps their modules apart.
          isolate: false,
          include: ["{packages/cards,packages/trips,apps/console}/**/*.test.{ts,tsx}"],
          // On a machine with twenty things to do a page of fields takes its ten seconds.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Times are shown in the reader's zone; the tests' reader is in this one.
          env: { TZ: "UTC" },
          setupFiles: ["packages/cards/src/testing/loaded.ts"],
          // So that the alias holds for what testing-library imports, too.
          server: { deps: { inline: [/@testing-library\/preact/, /preact/, /@rjsf/] } },
        },
      },
    ],
  },
});
