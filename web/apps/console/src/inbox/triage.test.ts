import type { Interaction, JsonObject } from "@sayso/core";
import { describe, expect, it } from "vitest";
import { alikeOf } from "./alike.ts";
import { totalOf } from "./totals.ts";
import { twinsOf } from "./twins.ts";

function refund(id: string, values: JsonObject, more: Partial<Interaction> = {}): Interaction {
  return {
    interaction_id: id,
    title: `Refund order ${String(values["order"])}`,
    status: "pending",
    created_at: `2026-01-01T00:00:0${id}Z`,
    payload: { tool_name: "refund", tool_params: values, sayso: { card: "approval" } },
    ...more,
  } as unknown as Interaction;
}

describe("twins", () => {
  it("are marked after the earlier one, whatever the order of the list and of the keys", () => {
    const rows = [refund("2", { amount: "€4", order: 1 }), refund("1", { order: 1, amount: "€4" }), refund("3", { order: 2, amount: "€4" })];
    expect([...twinsOf(rows)].map(([id, earlier]) => [id, earlier.interaction_id])).toEqual([["2", "1"]]);
  });

  it("differ by any value, and are none once one is settled", () => {
    expect(twinsOf([refund("1", { order: 1, amount: "€4" }), refund("2", { order: 1, amount: "€5" })]).size).toBe(0);
    expect(twinsOf([refund("1", { order: 1 }, { status: "completed" }), refund("2", { order: 1 })]).size).toBe(0);
  });
});

describe("requests that differ in one argument", () => {
  const rows = ["1", "2", "3"].map((id) => refund(id, { order: Number(id), why: "late" }));
  const found = (all: Interaction[]) =>
    [...alikeOf(all, twinsOf(all))].map(([id, { argument, rows }]) => [id, argument, rows.map((row) => row.interaction_id)]);

  it("are found from three on, the rest left alone", () => {
    expect(found([refund("9", { order: 1, why: "broken" }), ...rows])).toEqual([["1", "order", ["1", "2", "3"]]]);
    expect(found(rows.slice(1))).toEqual([]);
  });

  it("are none where they differ in more, are settled, or cannot be answered in a row", () => {
    expect(found(rows.map((row, at) => refund(row.interaction_id, { order: at, why: `why ${at}` })))).toEqual([]);
    expect(found([...rows.slice(1), refund("1", { order: 1, why: "late" }, { status: "completed" })])).toEqual([]);
    const warned = rows.map((row) => ({ ...row, payload: { ...row.payload, warnings: ["Mind the gap"] } }));
    expect(found(warned)).toEqual([]);
  });
});

describe("a total", () => {
  const of = (...amounts: string[]) => totalOf(amounts.map((amount, at) => refund(String(at), { order: at, amount })));

  it("adds up sums of one currency", () => {
    expect(of("€42.00", "€18.00", "€42")).toBe("€102.00");
    expect(of("42.10 EUR", "0.95 EUR")).toBe("43.05 EUR");
  });

  it("is of the argument that its schema calls money, whatever else is a sum", () => {
    const typed = (amount: number, currency = "EUR") => {
      const row = refund("1", { amount, paid: "€50.00", back: "€0.00" });
      return { ...row, payload: { ...row.payload, sayso: { card: "approval", formats: { amount: { format: "currency", currency } } } } } as Interaction;
    };
    expect(totalOf([typed(0.1), typed(0.2)])).toBe("€0.30");
    expect(totalOf([typed(1), typed(1, "USD")])).toBeNull();
  });

  it("is not told where it would be a guess", () => {
    expect(of("€42.00")).toBeNull();
    expect(of("€42.00", "$1.00")).toBeNull();
    expect(of("€42.00", "€1,500")).toBeNull();
    expect(of("€42.00", "much")).toBeNull();
    expect(totalOf([refund("1", { a: "€1", b: "€2" }), refund("2", { a: "€1", b: "€2" })])).toBeNull();
  });
});
