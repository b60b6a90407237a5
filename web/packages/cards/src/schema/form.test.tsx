// A form is drawn from its schema; what does not fit is named in a summary that leads to it.
import { screen, waitFor } from "@testing-library/preact";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "@sayso/core";
import { form, uiToolForm } from "../testing/fixtures.ts";
import { refusal, show } from "../testing/press.tsx";
import { fieldsOf } from "./fields.ts";
import { readFields } from "./inputs.ts";

it("draws each kind of field with a label that names it", () => {
  show(form);
  expect((screen.getByRole("textbox", { name: /^Name ?\(required\)/ }) as HTMLInputElement).value).toBe("Ana Petrović");
  expect(screen.getByRole("textbox", { name: "E-mail" }).getAttribute("type")).toBe("email");
  expect(screen.getByRole("group", { name: "Address" })).toBeTruthy();
  expect(screen.getByRole("textbox", { name: /^City ?\(required\)/ })).toBeTruthy();
  expect((screen.getByRole("radio", { name: "standard" }) as HTMLInputElement).checked).toBe(true);
  expect(screen.getByRole("textbox", { name: "Floor" }).getAttribute("inputmode")).toBe("numeric");
  expect(screen.getByLabelText(/^Day ?\(required\)/).getAttribute("type")).toBe("date");
  expect(screen.getByLabelText("Not before").getAttribute("type")).toBe("datetime-local");
  expect(screen.getByRole("checkbox", { name: "Monday" })).toBeTruthy();
  expect(screen.getByRole("textbox", { name: /^Neighbours who may take it ?\(one per line\)/ }).tagName).toBe("TEXTAREA");
  expect(screen.getByRole("textbox", { name: "Instructions" }).tagName).toBe("TEXTAREA");
  expect(screen.getByRole("checkbox", { name: "Leave it at the door" })).toBeTruthy();
});

it("calls a field by its own title, but not by one that only repeats its name in capitals", () => {
  const titles = { order_id: "Order Id", vat: "VAT", to: "Send it to" };
  const properties = Object.fromEntries(Object.entries(titles).map(([name, title]) => [name, { type: "string", title }]));
  expect(fieldsOf({ type: "object", properties }).map(({ label }) => label)).toEqual(["Order id", "VAT", "Send it to"]);
});

it("gives the focus to a summary that leads to each field", async () => {
  const { sent, user } = show(form);
  await user.click(screen.getByRole("button", { name: /^Change the delivery/ }));
  expect(sent).toEqual([]);
  expect(document.activeElement?.textContent).toContain("3 things to correct");
  const street = screen.getByRole("textbox", { name: /^Street/ });
  expect(street.getAttribute("aria-invalid")).toBe("true");
  expect(document.getElementById(street.getAttribute("aria-describedby") ?? "")?.textContent).toBe("Fill this in.");
  await user.click(screen.getByRole("link", { name: "Street and number" }));
  expect(document.activeElement).toBe(street);
});

it("gives the focus to the summary again at the next try", async () => {
  const { user } = show(form);
  await user.click(screen.getByRole("button", { name: /^Change the delivery/ }));
  await user.type(screen.getByRole("textbox", { name: /^City/ }), "Lisboa");
  await user.click(screen.getByRole("button", { name: /^Change the delivery/ }));
  expect(document.activeElement?.textContent).toContain("2 things to correct");
});

it("shows the server's errors at their fields", async () => {
  const refusing = { ...refusal, code: "answer_invalid", errors: [{ path: "values/address/city", message: "is not delivered to" }] };
  const draft = { values: { on: "2026-11-24", address: { street: "Rua do Sol 3", city: "Atlantis" } } };
  const { user, sent } = show(form, { refusing, draft });
  await user.click(screen.getByRole("button", { name: /^Change the delivery/ }));
  expect(sent.length).toBe(1);
  await waitFor(() => expect(screen.getByRole("textbox", { name: /^City/ }).getAttribute("aria-invalid")).toBe("true"));
  expect(document.activeElement?.textContent).toContain("is not delivered to");
});

it("draws an application's own schema as well", async () => {
  const { sent, user } = show(uiToolForm);
  await user.type(screen.getByRole("textbox", { name: /^Stars ?\(required\)/ }), "7");
  await user.click(screen.getByRole("button", { name: /^Send/ }));
  expect(sent).toEqual([]);
  expect(document.activeElement?.textContent).toContain("It must be 5 or less.");
});

describe("what inputs mean", () => {
  const read = (schema: JsonObject, input: JsonObject[string], required = true) =>
    readFields(fieldsOf({ type: "object", properties: { a: schema }, required: required ? ["a"] : [] }), { a: input });
  const value = (schema: JsonObject, input: JsonObject[string]) => {
    const found = read(schema, input);
    return found.ok ? found.values["a"] : found.errors[0]?.message;
  };

  it.each([
    [{ type: "number" }, " 12.5 ", 12.5],
    [{ type: "number" }, "12,5", "Write a number, for example 12.5."],
    [{ type: "number" }, "1e400", "Write a number, for example 12.5."],
    [{ type: "integer" }, "2.5", "Write a whole number."],
    [{ type: "number", exclusiveMinimum: 0 }, "0", "It must be more than 0."],
    [{ type: "number", multipleOf: 0.01 }, "0.07", 0.07],
    [{ type: "string", minLength: 3 }, "ab", "Write at least 3 characters; these are 2."],
    [{ type: "string", maxLength: 2 }, "😀😀", "😀😀"],
    [{ type: "string", pattern: "^[A-Z]+$" }, "ab", "This does not have the form that is asked for."],
    [{ type: "string" }, "  ", "Fill this in."],
    [{ enum: [1, null, "x"] }, null, null],
    [{ type: "array", items: { type: "integer" } }, "1\n2", [1, 2]],
    [{ type: "array", items: { type: "string" }, minItems: 2 }, "one", "Give at least 2."],
    [{ type: "array", items: { type: "object" } }, '[{"a": 1}]', [{ a: 1 }]],
    [{ type: "object", additionalProperties: true }, "{", "This is not valid JSON."],
    [{ oneOf: [{ const: "a", title: "A" }, { const: "b" }] }, "b", "b"],
  ] as const)("%j of %j", (schema, input, expected) => {
    expect(value(schema as unknown as JsonObject, input as never)).toEqual(expected);
  });

  it("leaves out what was left empty", () => {
    expect(read({ type: "string" }, "", false)).toEqual({ ok: true, values: {} });
    expect(read({ type: "object", properties: { b: { type: "string" } }, required: ["b"] }, { b: "" }, false)).toEqual({ ok: true, values: {} });
  });
});
