// Builds tests/browser/gallery, which lies outside of web/ and takes its packages from here.
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { catalogs } from "./catalogs.ts";
import { chunkLoading } from "./chunkLoading.ts";
import { cssTarget, reactIsPreact } from "./vite.config.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** A package that the gallery names is looked up as if web/ had named it. */
const packagesOfWeb: Plugin = {
  name: "packages-of-web",
  enforce: "pre",
  resolveId(source, importer) {
    const isPackage = /^[a-z@]/i.test(source);
    if (!isPackage || importer?.startsWith(here("../tests/browser/gallery")) !== true) return null;
    return this.resolve(source, here("./gallery.config.ts"), { skipSelf: true });
  },
};

export default defineConfig({
  root: here("../tests/browser/gallery"),
  base: "./",
  plugins: [packagesOfWeb, catalogs, chunkLoading],
  resolve: { alias: reactIsPreact, dedupe: ["preact"] },
  build: {
    rolldownOptions: {
      input: ["index", "hostile", "one", "one-hostile"].map((page) => here(`../tests/browser/gallery/${page}.html`)),
    },
    outDir: here("../tests/browser/gallery/dist"),
    emptyOutDir: true,
    target: "es2022",
    cssTarget,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
