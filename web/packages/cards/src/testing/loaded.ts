// Before any test of a page: what a browser loads in files of its own is there, so that a card is drawn at once; and
// what is waited for may take its time on a busy machine.
import { configure } from "@testing-library/preact";
import { options } from "preact";
import { openCards } from "../CardView.tsx";
import { reader } from "../markdown/reader.ts";
import { deepForms } from "../schema/SchemaForm.tsx";

configure({ asyncUtilTimeout: 20_000 });
// Effects run right after the render that asked for them, so that none is left when a file's page is taken down.
options.requestAnimationFrame = queueMicrotask;
await Promise.all([openCards.load(), reader.load(), deepForms.load()]);
