// Draws data as its JSON Schema describes it: names, order and words of the schema, and nothing left out.
import { locales } from "@sayso/core";
import type { ReactNode } from "react";
import { Pair, Value } from "../parts/Values.tsx";
import { isObject } from "../state.ts";
import type { JsonObject, JsonValue } from "../wire.ts";
import { labelOf } from "../words.ts";

const DEEPEST = 12;
const MOST_COLUMNS = 8;

interface Place {
  root: JsonObject;
  schema: JsonObject;
  depth: number;
}

export function SchemaView({ schema, value }: { schema: JsonObject; value: JsonValue }) {
  const place = at({ root: schema, schema: {}, depth: 0 }, schema);
  const title = textOf(place.schema, "title");
  return (
    <div className="sy-record">
      {title !== undefined && <p dir="auto"><b>{title}</b></p>}
      <Note schema={place.schema} />
      <Drawn place={place} value={value} />
    </div>
  );
}

function Drawn({ place, value }: { place: Place; value: JsonValue | undefined }): ReactNode {
  if (place.depth > DEEPEST) return <Value value={value} />;
  if (Array.isArray(value)) {
    const items = at(place, place.schema["items"]);
    const columns = columnsOf(items, value);
    if (columns !== null) return <Rows items={items} columns={columns} rows={value as JsonObject[]} />;
    if (value.length === 0) return <Value value={value} />;
    return <ul className="sy-list">{value.map((one, i) => <li key={i}><Drawn place={items} value={one} /></li>)}</ul>;
  }
  if (isObject(value) && Object.keys(value).length > 0) {
    return (
      <dl className="sy-values">
        {namesOf(place, value).map((name) => {
          const inner = property(place, name);
          return (
            <Pair key={name} label={nameOf(inner, name)}>
              <Note schema={inner.schema} />
              <Drawn place={inner} value={value[name]} />
            </Pair>
          );
        })}
      </dl>
    );
  }
  return <Value value={wordsOf(place.schema, value)} />;
}

function Rows({ items, columns, rows }: { items: Place; columns: string[]; rows: JsonObject[] }) {
  const name = (key: string) => nameOf(property(items, key), key);
  return (
    <table className="sy-table">
      <thead>
        <tr>{columns.map((key) => <th scope="col" key={key}>{name(key)}</th>)}</tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={i}>
            {columns.map((key, n) => {
              const content = (
                <>
                  <span className="sy-cell-label" aria-hidden="true">{name(key)}</span>
                  <span><Value value={wordsOf(property(items, key).schema, row[key])} /></span>
                </>
              );
              return n === 0 ? <th scope="row" key={key}>{content}</th> : <td key={key}>{content}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Note({ schema }: { schema: JsonObject }) {
  const words = textOf(schema, "description");
  return words === undefined ? null : <p className="sy-help" dir="auto">{words}</p>;
}

/** The place of an inner schema; a reference is followed within the schema itself. */
function at({ root, depth }: Place, inner: JsonValue | undefined): Place {
  let schema = isObject(inner) ? inner : {};
  for (let steps = 0; steps < DEEPEST && typeof schema["$ref"] === "string"; steps++) {
    const { $ref, ...beside } = schema;
    schema = { ...referred(root, $ref as string), ...beside };
  }
  return { root, schema, depth: depth + 1 };
}

function referred(root: JsonObject, reference: string): JsonObject {
  if (!reference.startsWith("#/")) return {};
  let found: JsonValue | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return isObject(found) ? found : {};
}

function property(place: Place, name: string): Place {
  const all = place.schema["properties"];
  return at(place, isObject(all) && Object.hasOwn(all, name) ? all[name] : place.schema["additionalProperties"]);
}

/** Those of the schema first, in its order; then what else there is. */
function namesOf({ schema }: Place, value: JsonObject): string[] {
  const named = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
  return [...new Set([...named, ...Object.keys(value)])].filter((name) => Object.hasOwn(value, name));
}

function columnsOf(items: Place, rows: JsonValue[]): string[] | null {
  if (rows.length === 0 || !rows.every(isObject)) return null;
  const objects = rows as JsonObject[];
  const columns = [...new Set(objects.flatMap((row) => namesOf(items, row)))];
  const arePlain = objects.every((row) => Object.values(row).every((one) => one === null || typeof one !== "object"));
  return arePlain && columns.length > 0 && columns.length <= MOST_COLUMNS ? columns : null;
}

const nameOf = ({ schema }: Place, name: string) => textOf(schema, "title") ?? labelOf(name);

function textOf(schema: JsonObject, key: string): string | undefined {
  const words = schema[key];
  return typeof words === "string" && words !== "" ? words : undefined;
}

/** A choice by its title, a time as people write it; all else as it is. */
function wordsOf(schema: JsonObject, value: JsonValue | undefined): JsonValue | undefined {
  const choices = schema["oneOf"] ?? schema["anyOf"];
  const chosen = Array.isArray(choices) ? choices.find((one) => isObject(one) && one["const"] === value && value !== undefined) : undefined;
  if (isObject(chosen)) return textOf(chosen, "title") ?? value;
  if (schema["format"] !== "date-time" || typeof value !== "string") return value;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? value : time.toLocaleString(locales(), { dateStyle: "medium", timeStyle: "short" });
}
