// Fails when a page loads more JavaScript than size-limits.json allows (gzip, 1 kB = 1000 bytes).
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const web = new URL("../", import.meta.url);
const limits = JSON.parse(readFileSync(new URL("size-limits.json", web), "utf8"));

/** A file and all that it imports statically; what loads on demand does not count. */
function scriptsOf(manifest, name, seen = new Set()) {
  const chunk = manifest[name];
  if (chunk === undefined) throw new Error(`${name} is not in the manifest: run \`make web\``);
  if (!seen.has(chunk.file)) {
    seen.add(chunk.file);
    for (const imported of chunk.imports ?? []) scriptsOf(manifest, imported, seen);
  }
  return seen;
}

for (const [name, { directory, entry, gzipKilobytes }] of Object.entries(limits)) {
  const built = new URL(`${directory}/`, web);
  const manifest = JSON.parse(readFileSync(new URL("manifest.json", built), "utf8"));
  let bytes = 0;
  const files = new Set();
  for (const name of [entry].flat()) scriptsOf(manifest, name, files);
  for (const file of files) {
    bytes += gzipSync(readFileSync(new URL(file, built)), { level: 9 }).length;
  }
  const verdict = bytes <= gzipKilobytes * 1000 ? "within" : "OVER";
  console.log(`${name}: ${(bytes / 1000).toFixed(1)} kB gzip, ${verdict} its ${gzipKilobytes} kB`);
  if (verdict === "OVER") process.exitCode = 1;
}
