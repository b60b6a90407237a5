// What a person chooses for themselves, on its way to the server and back.
import type { JsonObject } from "@sayso/core";
import { api } from "./browser.ts";
import { inTurn } from "./inTurn.ts";

const turn = inTurn();
let saved = 0;

/** Of two choices the server keeps the later one, however the network takes them. */
export function savePreferences(values: JsonObject): Promise<JsonObject> {
  saved += 1;
  return turn(() => api.savePreferences(values));
}

/** What is kept, to be followed; never once something was chosen while it was on its way: that is newer. */
export async function follow(kept: Promise<JsonObject>, take: (values: JsonObject) => unknown): Promise<void> {
  const before = saved;
  const values = await kept;
  if (saved === before) await take(values);
}
