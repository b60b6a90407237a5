// Requests that differ in one argument: they can be read as one table, and each is still decided on its own.
import { cardBodyOf, type Interaction, type JsonValue } from "@sayso/core";
import { summaryOf } from "./summary.ts";
import type { Twins } from "./twins.ts";

export interface Alike {
  argument: string;
  rows: readonly Interaction[];
}

/** Fewer are read as quickly one by one. */
const FEWEST = 3;

/** The largest group that each row belongs to, by the row that stands first in it. */
export function alikeOf(rows: readonly Interaction[], twins: Twins): ReadonlyMap<string, Alike> {
  const buckets = new Map<string, { argument: string; rows: Interaction[] }>();
  for (const row of rows) {
    if (row.status !== "pending" || twins.has(row.interaction_id)) continue;
    const body = cardBodyOf(row.payload);
    // What cannot be answered in its row cannot be answered in a table.
    if (body.kind !== "approval" || !summaryOf(row).isWhole) continue;
    for (const argument of Object.keys(body.fields.tool_params)) {
      const { [argument]: _, ...others } = body.fields.tool_params;
      const key = JSON.stringify([row.agent_name, body.fields.tool_name, argument, Object.entries(others).sort()]);
      const bucket = buckets.get(key) ?? { argument, rows: [] };
      bucket.rows.push(row);
      buckets.set(key, bucket);
    }
  }
  const found = new Map<string, Alike>();
  const placed = new Set<string>();
  for (const { argument, rows: some } of [...buckets.values()].sort((one, other) => other.rows.length - one.rows.length)) {
    const free = some.filter(({ interaction_id: id }) => !placed.has(id));
    if (free.length < FEWEST) continue;
    for (const { interaction_id: id } of free) placed.add(id);
    found.set(free[0]!.interaction_id, { argument, rows: free });
  }
  return found;
}

export function valueOf(row: Interaction, argument: string): JsonValue | undefined {
  const body = cardBodyOf(row.payload);
  return body.kind === "approval" ? body.fields.tool_params[argument] : undefined;
}
