// A result drawn by its JSON Schema.
import { render } from "@testing-library/preact";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../wire.ts";
import { SchemaView } from "./SchemaView.tsx";

const SCHEMA: JsonObject = {
  title: "Load of the desk",
  type: "object",
  properties: {
    state: { title: "State", oneOf: [{ const: "ok", title: "All is well" }] },
    nodes: { title: "Nodes", description: "Those that answer", items: { $ref: "#/$defs/node" } },
  },
  $defs: { node: { properties: { name: { title: "Node" }, cpu: { title: "Processor, %" } } } },
};

function drawn(value: JsonValue, schema: JsonObject = SCHEMA) {
  return render(<SchemaView schema={schema} value={value} />).container;
}

const texts = (of: Element, selector: string) => [...of.querySelectorAll(selector)].map((one) => one.textContent);

describe("a view by schema", () => {
  it("takes names, order and choices from the schema, and leaves nothing out", () => {
    const view = drawn({ more: 1, nodes: [], state: "ok" });
    expect(texts(view, "dt")).toEqual(["State", "Nodes", "More"]);
    expect(texts(view, "dd")).toEqual(["All is well", "Those that answernone", "1"]);
    expect(view.querySelector("b")?.textContent).toBe("Load of the desk");
  });

  it("draws rows as a table, by a reference within the schema", () => {
    const view = drawn({ nodes: [{ cpu: 7, name: "n1" }, { name: "n2", cpu: null }] });
    expect(texts(view, "th[scope=col]")).toEqual(["Node", "Processor, %"]);
    expect(texts(view, "th[scope=row] > span:last-child")).toEqual(["n1", "n2"]);
  });

  it("follows no reference elsewhere, no circle, and runs nothing", () => {
    const circle: JsonObject = { $ref: "#/$defs/a", $defs: { a: { properties: { a: { $ref: "#/$defs/a" } } }, b: { $ref: "#/$defs/b" } } };
    let value: JsonValue = "<img src=x onerror=alert(1)>";
    for (let n = 0; n < 40; n++) value = { a: value };
    const view = drawn(value, circle);
    expect(view.textContent).toContain("<img src=x");
    expect(view.querySelector("img")).toBeNull();
    expect(drawn({ x: 1 }, { $ref: "#/$defs/b", $defs: { b: { $ref: "#/$defs/b" } } }).textContent).toContain("1");
    expect(drawn({ x: 1 }, { $ref: "https://evil.test/schema" }).textContent).toContain("1");
  });
});
