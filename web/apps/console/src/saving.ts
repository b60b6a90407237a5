// Saves a person's preferences in order.
import type { JsonObject } from "@sayso/core";
import { api } from "./browser.ts";
import { serialQueue } from "./serialQueue.ts";

const enqueue = serialQueue();
let saved = 0;

/** Save one at a time, so that the later of two choices wins whatever the network does. */
export function savePreferences(values: JsonObject): Promise<JsonObject> {
  saved += 1;
  return enqueue(() => api.savePreferences(values));
}

/** Apply loaded preferences, unless something was chosen while they were loading: that is newer. */
export async function follow(kept: Promise<JsonObject>, take: (values: JsonObject) => unknown): Promise<void> {
  const before = saved;
  const values = await kept;
  if (saved === before) await take(values);
}
