// What may be answered from its row: only what stands there whole.
import type { JsonObject } from "@sayso/core";
import { describe, expect, it } from "vitest";
import { approval, interaction } from "../testing/server.ts";
import { summaryOf, valuesUnderApproval } from "./summary.ts";

const card = (more: JsonObject = {}, card: "approval" | "options" | "exchanges" | "form" = "approval") =>
  interaction("1001", {
    card,
    payload: { ...approval("1001"), ...more, sayso: { ...(approval("1001")["sayso"] as JsonObject), card } },
  });

describe("a proposal", () => {
  it("that fits is whole: every value, what it says and what it does", () => {
    const summary = summaryOf(
      card({ message: "May I?", impact: "Money moves.", tool_params: { order: "1001", amount: 42 }, context: { ticket: 7 } }),
    );
    expect(summary).toEqual({
      isWhole: true,
      parts: ["May I?", "Money moves", "Order 1001", "Amount 42", "Ticket 7"],
    });
  });

  it.each<[string, JsonObject]>([
    ["a value that is no plain one", { tool_params: { items: [1, 2] }, entity_details: { items: [1, 2] } }],
    ["more values than a row holds", { entity_details: Object.fromEntries([..."abcdefg"].map((name) => [name, 1])) }],
    ["a long text", { entity_details: { text: "word ".repeat(60) } }],
    ["several lines", { entity_details: { text: "one\ntwo" } }],
    ["a warning", { warnings: ["Paid back before."] }],
    ["a change since the last proposal", { changes: [{ path: "amount", before: 1, after: 2 }] }],
    ["a second look", { final_confirmation: true }],
    ["an agent that acts on the answer", { agent_acts: true }],
    ["words of its own on the buttons", { approval_options: ["ship it", "hold it"] }],
    ["what no yes is to", { not_bound: { note: "the usual" } }],
    ["a context that is no plain one", { context: { step: { of: 3 } } }],
  ])("with %s is opened first", (_, more) => {
    expect(summaryOf(card(more)).isWhole).toBe(false);
  });

  it("in its second revision is opened first", () => {
    const second = card();
    (second.payload["sayso"] as JsonObject)["revision"] = 2;
    expect(summaryOf(second).isWhole).toBe(false);
  });

  it("is listed with every value that would run, also where a detail of its name says another", () => {
    const groups = valuesUnderApproval(card({ entity_details: { order: "1001" }, tool_params: { order: "1002", hidden: "no" } }));
    expect(groups.map(({ values }) => values)).toEqual([{ order: "1001" }, { order: "1002", hidden: "no" }]);
  });
});

it("what is opened first is told in whole sentences, as many as have room", () => {
  const impact = "The money goes back to the card ending 6042. This cannot be undone.";
  const details = { order: "1006", customer: "Jonas Brandt of the seed shop in Aarhus", box: "Seed box", reason: "word ".repeat(20), warned: ["x"] };
  const summary = summaryOf(card({ message: "I would like to pay Jonas Brandt back.", impact, entity_details: details, warnings: ["!"] }));
  expect(summary.parts).toEqual(["I would like to pay Jonas Brandt back"]);
  const long = summaryOf(card({ message: "word ".repeat(60), warnings: ["!"] }));
  expect(long.parts).toEqual([`${"word ".repeat(16).trim()}…`]);
});

it("other cards give a taste of what they ask", () => {
  expect(summaryOf(card({ options: [{ id: "a", label: "Mass" }, { id: "b", label: "Energy" }] }, "options"))).toEqual({
    isWhole: false,
    parts: ["Mass", "Energy"],
  });
  const rows = [{ row_id: "1", values: {}, warnings: ["no supplier"] }, { row_id: "2", values: {} }];
  expect(summaryOf(card({ rows }, "exchanges")).parts).toEqual(["2 rows", "1 row has a warning"]);
  const response_schema = { properties: { street: { type: "string" }, floors: { title: "How many floors" } } };
  expect(summaryOf(card({ response_schema }, "form")).parts).toEqual(["Street", "How many floors"]);
});
