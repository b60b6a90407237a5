// Joins what one piece of work outside asked for, as its askers say it belongs together.
import { type Asker, cardMetaOf, type Interaction, t } from "@sayso/core";

export interface Session<Row> {
  /** Empty for a row that belongs to none, which stands alone. */
  name: string;
  rows: readonly Row[];
}

/** Return the rows in their order, but those of one session where its first one stands. */
export function bySession<Row>(rows: readonly Row[], askerOf: (row: Row) => Asker | null | undefined): Session<Row>[] {
  const found: Session<Row>[] = [];
  const joined = new Map<string, Row[]>();
  for (const row of rows) {
    const asker = askerOf(row);
    const name = asker?.session ?? "";
    const key = JSON.stringify([asker?.client, name]);
    const others = name === "" ? undefined : joined.get(key);
    if (others !== undefined) {
      others.push(row);
      continue;
    }
    const group = [row];
    if (name !== "") joined.set(key, group);
    found.push({ name, rows: group });
  }
  return found;
}

export function askerOf({ payload }: Interaction): Asker | null | undefined {
  return cardMetaOf(payload).asker;
}

export function sessionWords(session: string): string {
  return t("Session {session}", { session });
}
