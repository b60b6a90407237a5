// The entry point of the console.
import { createRoot } from "react-dom/client";
import { App } from "./App.tsx";
import { api } from "./browser.ts";
import { followChoices } from "./frame/choices.ts";
import { followPreferences, startLanguage } from "./language.ts";
import { loadSession } from "./person.ts";
import { follow } from "./saving.ts";
import { removeOldDrafts } from "./draftStorage.ts";
import "./style.css";

const place = document.getElementById("app");
if (place === null) throw new Error("index.html has no #app");
removeOldDrafts(Date.now());
void Promise.all([startLanguage(), loadSession()]).then(() => {
  createRoot(place).render(<App />);
  const kept = api.preferences();
  void followPreferences(kept);
  // Not signed in or offline: the page keeps this browser's copy of the settings.
  follow(kept, followChoices).catch(() => undefined);
});
