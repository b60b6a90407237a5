// Where the console starts.
import { createRoot } from "react-dom/client";
import { App } from "./App.tsx";
import { api } from "./browser.ts";
import { followChoices } from "./frame/choices.ts";
import { followPreferences, startLanguage } from "./language.ts";
import { whoIsThere } from "./person.ts";
import { follow } from "./saving.ts";
import { forgetOld } from "./unsent.ts";
import "./style.css";

const place = document.getElementById("app");
if (place === null) throw new Error("index.html has no #app");
forgetOld(Date.now());
void Promise.all([startLanguage(), whoIsThere()]).then(() => {
  createRoot(place).render(<App />);
  const kept = api.preferences();
  void followPreferences(kept);
  // Not signed in, or no connection: the page stays as this browser remembers it.
  follow(kept, followChoices).catch(() => undefined);
});
