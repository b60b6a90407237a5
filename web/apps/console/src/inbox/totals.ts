// What a selection comes to: "3 selected · €102.00". A total is told only where every card names exactly one sum of one currency.
import { cardBodyOf, type Interaction } from "@sayso/core";

interface Sum {
  sign: string;
  /** Whether the sign stands before the number. */
  isBefore: boolean;
  cents: number;
}

/** Return the total as it would be written on the cards; null where they cannot be added up. */
export function totalOf(chosen: readonly Interaction[]): string | null {
  const sums = chosen.map(sumOf);
  const [first] = sums;
  if (first == null || sums.length < 2 || sums.some((sum) => sum?.sign !== first.sign)) return null;
  const cents = sums.reduce((total, sum) => total + (sum?.cents ?? 0), 0);
  const number = (cents / 100).toFixed(2);
  return first.isBefore ? `${first.sign}${number}` : `${number} ${first.sign}`;
}

function sumOf(row: Interaction): Sum | null {
  const body = cardBodyOf(row.payload);
  if (body.kind !== "approval") return null;
  const values = Object.values({ ...body.fields.entity_details, ...body.fields.tool_params });
  const sums = new Map(values.flatMap((value) => (typeof value === "string" ? sumIn(value) : [])).map((sum) => [`${sum.sign}${sum.cents}`, sum]));
  return sums.size === 1 ? ([...sums.values()][0] ?? null) : null;
}

/** "€42.00", "42.00 EUR"; nothing that could be read in two ways, as "1,500". */
const BEFORE = /^([€$£¥]|[A-Z]{3} )(\d+)(?:\.(\d{2}))?$/;
const AFTER = /^(\d+)(?:\.(\d{2}))? ?([€$£¥]|[A-Z]{3})$/;

function sumIn(text: string): Sum[] {
  const before = BEFORE.exec(text);
  if (before !== null) return [{ sign: before[1] ?? "", isBefore: true, cents: centsOf(before[2], before[3]) }];
  const after = AFTER.exec(text);
  if (after !== null) return [{ sign: after[3] ?? "", isBefore: false, cents: centsOf(after[1], after[2]) }];
  return [];
}

function centsOf(whole = "0", cents = "0"): number {
  return Number(whole) * 100 + Number(cents);
}
