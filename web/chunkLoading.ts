// Makes built pages load their lazy chunks through `loadChunk.ts` instead of vite's own preloading.
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

/** Vite calls this module wherever a page says `import("./Chunk.tsx")`, with every file that the chunk needs. */
const VITE_PRELOAD = "\0vite/preload-helper.js";

export const chunkLoading: Plugin = {
  name: "sayso-chunk-loading",
  enforce: "pre",
  apply: "build",
  load(id) {
    if (id !== VITE_PRELOAD) return null;
    const loader = fileURLToPath(new URL("loadChunk.ts", import.meta.url));
    return `export { loadChunk as __vitePreload } from ${JSON.stringify(loader)};`;
  },
  generateBundle(_, bundle) {
    // If a new vite renames its helper, the problem that `loadChunk.ts` solves would silently come back.
    const files = Object.values(bundle);
    const isUsed = files.some((file) => file.type === "chunk" && file.moduleIds.some((id) => id.endsWith("/web/loadChunk.ts")));
    const isNeeded = files.some((file) => file.type === "chunk" && file.isDynamicEntry);
    if (isNeeded && !isUsed) this.error("vite no longer loads chunks through `\\0vite/preload-helper.js`; see web/chunkLoading.ts");
  },
};
