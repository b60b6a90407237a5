// Before any test of a page: what a browser loads in files of its own is there, so that a card is drawn at once; and
// what is waited for may take its time on a busy machine.
import { afterEach, vi } from "vitest";

// The files share one jsdom, but no module of ours, which may know what happened on its page, and nothing that was kept.
vi.resetModules();
localStorage.clear();
sessionStorage.clear();
const { cleanup, configure } = await import("@testing-library/preact");
const { options } = await import("preact");
const { openCards } = await import("../CardView.tsx");
const { reader } = await import("../markdown/reader.ts");
const { deepForms } = await import("../schema/SchemaForm.tsx");

afterEach(cleanup);
configure({ asyncUtilTimeout: 20_000 });
// Effects run right after the render that asked for them, so that none is left when a file's page is taken down.
options.requestAnimationFrame = queueMicrotask;
await Promise.all([openCards.load(), reader.load(), deepForms.load()]);
