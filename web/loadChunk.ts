// Imports a lazy chunk only after all its files have arrived: its code, what that imports, and its styles.
//
// Many browsers (Chromium up to at least 150) remember a failed module for the lifetime of the page, and everything that
// imports it fails too. `fetch` does not cache failures, so each file is fetched first; the import then finds it in the cache.

/** Files that have arrived or are being fetched. */
const requested = new Map<string, Promise<void>>();
const loaded = Promise.resolve();
requested.set(import.meta.url, loaded);
for (const { href } of document.querySelectorAll<HTMLLinkElement>("link:is([rel=modulepreload], [rel=stylesheet])")) {
  requested.set(href, loaded);
}

/** Wraps each `import()` of the build: `files` are all it needs, relative to `importer` or else to the page's base. */
export async function loadChunk<T>(get: () => Promise<T>, files: string[] = [], importer?: string): Promise<T> {
  const base = importer ?? new URL(import.meta.env.BASE_URL, document.baseURI);
  await Promise.all(files.map((file) => loadFile(new URL(file, base).href)));
  return get();
}

function loadFile(url: string): Promise<void> {
  let loading = requested.get(url);
  if (loading === undefined) {
    loading = url.endsWith(".css") ? loadStyles(url) : fetchScript(url);
    requested.set(url, loading);
    loading.catch(() => requested.delete(url));
  }
  return loading;
}

async function fetchScript(url: string): Promise<void> {
  // With the options of a module request, so that both share one cache entry.
  const response = await fetch(url, { mode: "cors", credentials: "same-origin" });
  if (!response.ok) throw new Error(`A file of this page answers with ${response.status}`);
  await response.arrayBuffer();
}

function loadStyles(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.crossOrigin = "";
    link.href = url;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error("The styles of this part did not come"));
    };
    document.head.append(link);
  });
}
