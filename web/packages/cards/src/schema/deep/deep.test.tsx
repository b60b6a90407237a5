// A deep schema is filled in and sent as a flat one is: by labels, with its errors named, and without `eval`.
import { screen, waitFor, within } from "@testing-library/preact";
import { expect, it } from "vitest";
import { deepForm, message } from "../../testing/fixtures.ts";
import { refusal, show } from "../../testing/press.tsx";
import { errorsIn } from "./validator.ts";

const box = (name: RegExp | string) => screen.getByRole<HTMLInputElement>("textbox", { name });

it("draws lists, things in them and shapes with names of their own", () => {
  show(deepForm);
  expect(box(/^Your reference ?\(required\)/).value).toBe("Shop 7");
  const first = within(screen.getByRole("group", { name: "Entry 1" }));
  expect(first.getByRole<HTMLInputElement>("radio", { name: "Teapot" }).checked).toBe(true);
  expect(first.getByRole<HTMLInputElement>("textbox", { name: /^Quantity/ }).value).toBe("2");
  expect(screen.getByRole<HTMLSelectElement>("combobox", { name: "Kind of Payment" }).selectedOptions[0]?.textContent).toBe("By invoice");
  expect(box(/^Invoice to/).value).toBe("Ana Petrović");
});

it("adds an entry and goes to it, takes one out and goes to the way to add", async () => {
  const { user, sent } = show(deepForm);
  await user.click(screen.getByRole("button", { name: "Add to Lines" }));
  const second = within(screen.getByRole("group", { name: "Entry 2" }));
  expect(document.activeElement).toBe(second.getByRole("radio", { name: "Teapot" }));
  await user.click(second.getByRole("radio", { name: "Tea tin" }));
  await user.type(second.getByRole("textbox", { name: /^Quantity/ }), "3");
  await user.click(screen.getByRole("button", { name: "Remove: entry 1 of Lines" }));
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Add to Lines" }));
  await user.click(screen.getByRole("button", { name: /^Order/ }));
  expect(sent).toMatchObject([
    { body: { response_data: { values: { reference: "Shop 7", lines: [{ article: "Tea tin", quantity: 3 }], payment: { to: "Ana Petrović" } } } } },
  ]);
});

it("takes another shape and sends that one alone", async () => {
  const { user, sent } = show(deepForm);
  await user.selectOptions(screen.getByRole("combobox", { name: "Kind of Payment" }), "By card");
  await user.type(box(/^Card ends in/), "4411");
  await user.click(screen.getByRole("button", { name: /^Order/ }));
  expect(sent).toMatchObject([{ body: { response_data: { values: { payment: { ends_in: "4411" } } } } }]);
});

it("names what is wrong, deep in, in a summary that leads there", async () => {
  const { user, sent } = show(deepForm, { draft: { values: { reference: "x", lines: [{ article: "Teapot", quantity: 0 }], payment: { to: "A" } } } });
  await user.click(screen.getByRole("button", { name: /^Order/ }));
  expect(sent).toEqual([]);
  expect(document.activeElement?.textContent).toContain("2 things to correct");
  const quantity = box(/^Quantity/);
  expect(quantity.getAttribute("aria-invalid")).toBe("true");
  expect(document.getElementById(quantity.getAttribute("aria-describedby") ?? "")?.textContent).toBe("It must be 1 or more.");
  await user.click(screen.getByRole("link", { name: "Lines, entry 1, Quantity" }));
  expect(document.activeElement).toBe(quantity);
});

it("keeps what is no number as it was typed, and says so", async () => {
  const { user, sent, drafts } = show(deepForm);
  await user.clear(box(/^Quantity/));
  await user.type(box(/^Quantity/), "two");
  expect(box(/^Quantity/).value).toBe("two");
  expect(drafts.at(-1)).toMatchObject({ values: { lines: [{ quantity: "two" }] } });
  await user.click(screen.getByRole("button", { name: /^Order/ }));
  expect(sent).toEqual([]);
  expect(document.activeElement?.textContent).toContain("Write a number");
});

it("shows the server's errors at their fields", async () => {
  const refusing = { ...refusal, code: "answer_invalid", errors: [{ path: "values/lines/0/article", message: "is sold out" }] };
  const { user } = show(deepForm, { refusing });
  await user.click(screen.getByRole("button", { name: /^Order/ }));
  await waitFor(() => expect(document.activeElement?.textContent).toContain("is sold out"));
  expect(screen.getByRole("radio", { name: "Teapot" }).getAttribute("aria-invalid")).toBe("true");
});

it("opens a thing that may hold things like itself one level at a press", async () => {
  const node = { type: "object", properties: { name: { type: "string" }, child: { $ref: "#/$defs/Node" } } };
  const { user } = show(message("form", { title: "Deep", response_schema: { ...node, $defs: { Node: node } } }));
  expect(screen.getAllByRole("textbox").length).toBeLessThan(5);
  await user.click(screen.getAllByRole("button", { name: /^Fill in/ })[0] as HTMLElement);
  expect(screen.getAllByRole("textbox").length).toBeGreaterThan(1);
});

it("makes no code of a schema", () => {
  const before = globalThis.Function;
  globalThis.Function = (() => {
    throw new Error("the page's policy forbids this");
  }) as unknown as FunctionConstructor;
  try {
    expect(errorsIn({ type: "object", required: ["a"], properties: { a: { type: "string", pattern: "^x" } } }, {})).toEqual([
      { path: "a", message: "Fill this in." },
    ]);
  } finally {
    globalThis.Function = before;
  }
});
