// Any JSON, whole and unfolded: a description list, nested where the value is.
import type { ReactNode } from "react";
import { isObject } from "../state.ts";
import type { JsonObject, JsonValue } from "../wire.ts";
import { labelOf, plain } from "../words.ts";

export function Values({ values }: { values: JsonObject }) {
  return (
    <dl className="sy-values">
      {Object.entries(values).map(([key, value]) => (
        <Pair key={key} label={labelOf(key)}><Value value={value} /></Pair>
      ))}
    </dl>
  );
}

export function Pair({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="sy-pair">
      <dt dir="auto">{label}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}

export function Value({ value }: { value: JsonValue | undefined }): ReactNode {
  if (Array.isArray(value)) {
    if (value.length === 0) return <span className="sy-none">none</span>;
    return (
      <ul className="sy-list">
        {value.map((item, i) => (
          <li key={i}><Value value={item} /></li>
        ))}
      </ul>
    );
  }
  if (isObject(value)) {
    return Object.keys(value).length === 0 ? <span className="sy-none">none</span> : <Values values={value} />;
  }
  if (value === null || value === undefined || value === "") return <span className="sy-none">{plain(value)}</span>;
  return <span className="sy-text">{plain(value)}</span>;
}
