// Before any test of a page: what a browser loads in files of its own is there, so that a card is drawn at once.
import { openCards } from "../CardView.tsx";
import { reader } from "../markdown/reader.ts";
import { deepForms } from "../schema/SchemaForm.tsx";

await Promise.all([openCards.load(), reader.load(), deepForms.load()]);
