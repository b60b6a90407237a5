// Changes since the last revision or the agent's proposal: the old value struck through, then the new one.
import { t } from "@sayso/core";
import type { Change, JsonValue } from "../wire.ts";
import { labelOf, plain } from "../words.ts";

interface Props {
  heading: string;
  changes: Change[];
  /** How one is drawn: an open card has more ways. */
  draw?: typeof BeforeAfter;
}

export function Changes({ heading, changes, draw: Drawn = BeforeAfter }: Props) {
  if (changes.length === 0) return null;
  return (
    <div className="sy-changes">
      <h4>{heading}</h4>
      <dl className="sy-values">
        {changes.map((change) => (
          <div className="sy-pair" key={change.path}>
            <dt><bdi>{pathWords(change.path)}</bdi></dt>
            <dd>{isHidden(change) ? t("changed, and not shown") : <Drawn before={change.before} after={change.after} />}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Masked or internal values: only the fact that they changed is shown. */
function isHidden({ before, after }: Change): boolean {
  return before == null && after == null;
}

export function BeforeAfter({ before, after }: { before: JsonValue | undefined; after: JsonValue | undefined }) {
  return (
    <>
      <Was value={before} /> <span className="sy-arrow" aria-hidden="true">→</span> <ins className="sy-text" dir="auto">{plain(after)}</ins>
    </>
  );
}

export function Was({ value }: { value: JsonValue | undefined }) {
  return <><span className="sy-hidden">{t("was")} </span><del dir="auto">{plain(value)}</del></>;
}

/**
 * "arguments/amount" and "data/amount" read "Amount", "rows/2/amount" reads "Row 2, Amount" (rows go by their ids, which people see),
 * and "items/1/price" reads "Items, entry 2, Price".
 */
export function pathWords(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  const [first = "", second, ...rest] = parts;
  if (first === "rows" && second !== undefined) return [t("Row {id}", { id: second }), ...rest.map(labelOf)].join(", ");
  const shown = second !== undefined && ["arguments", "details", "data"].includes(first) ? parts.slice(1) : parts;
  return shown.map((part) => (/^\d+$/.test(part) ? t("entry {n}", { n: Number(part) + 1 }) : labelOf(part))).join(", ");
}

/** The same within a sentence: "amount", "row 2, amount". */
export function labelPath(path: string): string {
  const words = pathWords(path);
  return /^[A-Z][a-z]/.test(words) ? words.charAt(0).toLowerCase() + words.slice(1) : words;
}
