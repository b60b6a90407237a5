// What a long value becomes, line by line: a text, a query, code, or JSON. It is shown whole, as everything under approval is.
import { type DiffLine, lineDiff, t } from "@sayso/core";
import type { JsonValue } from "../wire.ts";
import { exact } from "../words.ts";

/** Whether line by line says more than one value after the other: several lines, or things within things. */
export function hasLines(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  const [old, now] = [linesOf(before), linesOf(after)];
  return old !== null && now !== null && (old.includes("\n") || now.includes("\n"));
}

export function Difference({ before, after }: { before: JsonValue | undefined; after: JsonValue | undefined }) {
  return (
    <div className="sy-diff" dir="auto">
      {lineDiff(linesOf(before) ?? "", linesOf(after) ?? "").map((line, at) => (
        <Line key={at} {...line} />
      ))}
    </div>
  );
}

function Line({ is, text }: DiffLine) {
  const words = exact(text) || " ";
  if (is === "same") return <span>{words}</span>;
  // The words say it to those who see no colours, or nothing.
  return is === "out" ? (
    <del><span className="sy-hidden">{t("removed:")} </span>{words}</del>
  ) : (
    <ins><span className="sy-hidden">{t("added:")} </span>{words}</ins>
  );
}

function linesOf(value: JsonValue | undefined): string | null {
  if (typeof value === "string") return value;
  return value !== null && typeof value === "object" ? JSON.stringify(value, null, 2) : null;
}
