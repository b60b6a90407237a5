// Draws any JSON in full, as nested description lists.
import { t } from "@sayso/core";
import type { ReactNode } from "react";
import { isObject } from "../state.ts";
import type { JsonObject, JsonValue } from "../wire.ts";
import { fieldName, labelOf, plain } from "../words.ts";

/** `named`: the keys are fields of a card or an answer, which have translated names. */
export function Values({ values, named = false }: { values: JsonObject; named?: boolean }) {
  return (
    <dl className="sy-values">
      {Object.entries(values).map(([key, value]) => (
        <Pair key={key} label={named ? fieldName(key) : labelOf(key)}><Value value={value} /></Pair>
      ))}
    </dl>
  );
}

export function Pair({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="sy-pair">
      <dt><bdi>{label}</bdi></dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Value({ value }: { value: JsonValue | undefined }): ReactNode {
  if (Array.isArray(value)) {
    if (value.length === 0) return <span className="sy-none">{t("none")}</span>;
    const columns = columnsOf(value);
    if (columns !== null) return <LikeThings rows={value as JsonObject[]} columns={columns} />;
    return (
      <ul className="sy-list">
        {value.map((item, i) => (
          <li key={i}><Value value={item} /></li>
        ))}
      </ul>
    );
  }
  if (isObject(value)) {
    return Object.keys(value).length === 0 ? <span className="sy-none">{t("none")}</span> : <Values values={value} />;
  }
  if (value === null || value === undefined || value === "") return <span className="sy-none">{plain(value)}</span>;
  return <bdi className="sy-text">{plain(value)}</bdi>;
}

/** Draws objects with the same few plain fields as a table. */
function LikeThings({ rows, columns }: { rows: JsonObject[]; columns: string[] }) {
  return (
    <table className="sy-table">
      <thead>
        <tr>{columns.map((key) => <th scope="col" key={key}>{labelOf(key)}</th>)}</tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={i}>
            {columns.map((key, at) => {
              const content = (
                <>
                  <span className="sy-cell-label" aria-hidden="true">{labelOf(key)}</span>
                  <span><Value value={row[key]} /></span>
                </>
              );
              return at === 0 ? <th scope="row" key={key}>{content}</th> : <td key={key}>{content}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const MOST_COLUMNS = 5;

function columnsOf(items: JsonValue[]): string[] | null {
  const [first] = items;
  if (items.length < 2 || !isObject(first)) return null;
  const columns = Object.keys(first);
  if (columns.length < 2 || columns.length > MOST_COLUMNS) return null;
  const areAlike = items.every(
    (item) =>
      isObject(item) &&
      Object.keys(item).length === columns.length &&
      columns.every((key) => key in item && (item[key] === null || typeof item[key] !== "object")),
  );
  return areAlike ? columns : null;
}
