// What a selection comes to: "3 selected · €102.00". A total is told only where every card names exactly one sum of one currency.
import { cardBodyOf, cardMetaOf, type Interaction } from "@sayso/core";
import { formatted } from "@sayso/cards";

interface Sum {
  /** Of one kind are those that are written alike. */
  written: (amount: number) => string;
  kind: string;
  /** Whole, so that a total is exact. */
  thousandths: number;
}

/** Return the total as it would be written on the cards; null where they cannot be added up. */
export function totalOf(chosen: readonly Interaction[]): string | null {
  const sums = chosen.map(sumOf);
  const [first] = sums;
  if (first == null || sums.length < 2 || sums.some((sum) => sum?.kind !== first.kind)) return null;
  return first.written(sums.reduce((total, sum) => total + (sum?.thousandths ?? 0), 0) / 1000);
}

/** The one argument that its schema calls money; else the one sum that stands in the values. */
function sumOf(row: Interaction): Sum | null {
  const body = cardBodyOf(row.payload);
  if (body.kind !== "approval") return null;
  const { entity_details, tool_params } = body.fields;
  const formats = cardMetaOf(row.payload).formats ?? {};
  const money = Object.entries(tool_params ?? {}).flatMap(([name, value]) => {
    const as = formats[name];
    return typeof value === "number" && as?.format === "currency" ? [{ value, as }] : [];
  });
  const [only, another] = money;
  if (only !== undefined) {
    if (another !== undefined) return null;
    return { kind: only.as.currency ?? "", thousandths: Math.round(only.value * 1000), written: (amount) => formatted(amount, only.as) };
  }
  const values = Object.values({ ...entity_details, ...tool_params });
  const sums = new Map(values.flatMap((value) => (typeof value === "string" ? sumIn(value) : [])).map((sum) => [`${sum.kind}${sum.thousandths}`, sum]));
  return sums.size === 1 ? ([...sums.values()][0] ?? null) : null;
}

/** "€42.00", "42.00 EUR"; nothing that could be read in two ways, as "1,500". */
const BEFORE = /^([€$£¥]|[A-Z]{3} )(\d+)(?:\.(\d{2}))?$/;
const AFTER = /^(\d+)(?:\.(\d{2}))? ?([€$£¥]|[A-Z]{3})$/;

function sumIn(text: string): Sum[] {
  const before = BEFORE.exec(text);
  if (before !== null) return [sum(before[1], before[2], before[3], (sign, number) => `${sign}${number}`)];
  const after = AFTER.exec(text);
  if (after !== null) return [sum(after[3], after[1], after[2], (sign, number) => `${number} ${sign}`)];
  return [];
}

function sum(sign = "", whole = "0", cents = "0", join: (sign: string, number: string) => string): Sum {
  return { kind: sign, thousandths: Number(whole) * 1000 + Number(cents) * 10, written: (amount) => join(sign, amount.toFixed(2)) };
}
