// Cards that ask for the same: the same title over the same values, while both wait. Approving both does it twice.
import { cardBodyOf, type Interaction } from "@sayso/core";

/** The earlier card that each of these repeats, by the id of the later one. */
export type Twins = ReadonlyMap<string, Interaction>;

export function twinsOf(rows: readonly Interaction[]): Twins {
  const first = new Map<string, Interaction>();
  const twins = new Map<string, Interaction>();
  for (const row of [...rows].sort(byAge)) {
    const asked = whatIsAsked(row);
    if (asked === null) continue;
    const earlier = first.get(asked);
    if (earlier === undefined) first.set(asked, row);
    else twins.set(row.interaction_id, earlier);
  }
  return twins;
}

function byAge(one: Interaction, other: Interaction): number {
  return one.created_at.localeCompare(other.created_at) || one.interaction_id.localeCompare(other.interaction_id);
}

/** Null for a card that lets nothing run, or that waits no more. */
function whatIsAsked(row: Interaction): string | null {
  if (row.status !== "pending") return null;
  const body = cardBodyOf(row.payload);
  if (body.kind !== "approval") return null;
  const { tool_name, tool_params, entity_details } = body.fields;
  return JSON.stringify([row.title, tool_name, sorted(tool_params), sorted(entity_details ?? {})]);
}

function sorted(values: object): [string, unknown][] {
  return Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1));
}
