// Labels the buttons of a table of rows in the words of the card's title, if it counts its rows.
import { t } from "@sayso/core";

export interface ButtonLabels {
  /** The verb, "Add", also used for a single row. */
  verb: string;
  /** The label for this many approved rows. */
  button: (approved: number) => string;
}

/** "Add 3 exchanges to “Steel”" gives "Add 2 of 3 exchanges"; without such a title it is "Approve 2 of 3 rows". */
export function buttonLabels(titles: string[], all: number, fallback: string): ButtonLabels {
  for (const title of titles) {
    const [, verb, thing] = new RegExp(`^\\s*(\\p{L}+)\\s+${all}\\s+(\\p{L}+)`, "u").exec(title) ?? [];
    if (verb === undefined || thing === undefined) continue;
    return {
      verb,
      button(approved) {
        if (approved === all) return `${verb} ${all} ${thing}`;
        return approved === 0 ? `${verb} ${thing}` : t("{verb} {n} of {all} {thing}", { verb, n: approved, all, thing });
      },
    };
  }
  return {
    verb: fallback,
    button(approved) {
      const words = { verb: fallback, approved, n: all };
      if (approved === all) return t("{verb} {n, plural, one {the row} other {all # rows}}", words);
      return approved === 0 ? t("{verb} rows", words) : t("{verb} {approved} of {n, plural, one {# row} other {# rows}}", words);
    },
  };
}
