// Changes the language: of the page's own sentences, and of what the server says.
import { loadMessages } from "./messages.ts";
import { activate, type Catalog, SOURCE } from "./text.ts";

/** Speak this language from now on. Resolves when the server's texts are in it, too; `onSpeak` hears of the change. */
export async function speak(tag: string, catalog: Catalog, locales?: string[]): Promise<void> {
  activate(tag, catalog, locales);
  if (tag !== SOURCE) await loadMessages(tag);
}
