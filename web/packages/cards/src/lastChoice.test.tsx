// What a person chose last is chosen beforehand and marked; only their own press sends it.
import { screen, waitFor } from "@testing-library/preact";
import { expect, it, vi } from "vitest";
import { approval, message, options } from "./testing/fixtures.ts";
import { show } from "./testing/press.tsx";

const remembered = (values: Record<string, string>) => vi.fn(() => Promise.resolve(values));
const radio = (name: RegExp) => screen.getByRole("radio", { name }) as HTMLInputElement;
const send = () => screen.getByRole("button", { name: /^Send/ });

it("chooses it beforehand, says so, and sends nothing by itself", async () => {
  const { sent, user } = show(options, { loadLastChoice: remembered({ selected_option: "economic" }) });
  await waitFor(() => expect(radio(/^Economic allocation Your last answer/).checked).toBe(true));
  expect(sent).toEqual([]);
  await user.click(send());
  expect(sent).toMatchObject([{ body: { response_data: { selected_option: "economic" } } }]);
});

it("is changed by a press, and still says what was last", async () => {
  const { sent, user } = show(options, { loadLastChoice: remembered({ selected_option: "economic" }) });
  await screen.findByText("Your last answer");
  await user.click(radio(/^Mass/));
  expect(radio(/^Economic allocation Your last answer/).checked).toBe(false);
  await user.click(send());
  expect(sent).toMatchObject([{ body: { response_data: { selected_option: "mass" } } }]);
});

it("does not take the place of what was chosen here before it came", async () => {
  let come: (values: { selected_option: string }) => void = () => undefined;
  const { user } = show(options, { loadLastChoice: () => new Promise((resolve) => (come = resolve)) });
  await user.click(radio(/^Mass/));
  come({ selected_option: "economic" });
  await screen.findByText("Your last answer");
  expect(radio(/^Mass/).checked).toBe(true);
});

it("leaves the card as it was where it cannot be had", async () => {
  const refused = vi.fn(() => Promise.reject(new Error("offline")));
  show(options, { loadLastChoice: refused });
  await waitFor(() => expect(refused).toHaveBeenCalledOnce());
  expect(screen.getAllByRole("radio").some((one) => (one as HTMLInputElement).checked)).toBe(false);
});

it("never fills in an approval, nor asks for what it would be", () => {
  const load = remembered({ reason: "late" });
  show(approval, { loadLastChoice: load });
  expect(load).not.toHaveBeenCalled();
});

const properties = {
  unit: { type: "string", enum: ["kg", "t"], default: "kg" },
  method: { type: "string", enum: ["a", "b", "c", "d", "e", "f", "g"] },
  given: { type: "string", enum: ["x", "y"] },
};
const fields = { title: "Amount", agent_message: "", response_schema: { type: "object", properties }, values: { given: "x" } };

it("chooses in a form what the agent did not give, over a default", async () => {
  const { sent, user } = show(message("form", fields), { loadLastChoice: remembered({ unit: "t", method: "g", given: "y" }) });
  await waitFor(() => expect(radio(/^t · Your last answer/).checked).toBe(true));
  const method = screen.getByRole("combobox", { name: "Method" }) as HTMLSelectElement;
  expect(method.selectedOptions[0]?.textContent).toBe("g · Your last answer");
  expect(radio(/^x/).checked).toBe(true);
  await user.click(send());
  expect(sent).toMatchObject([{ body: { response_data: { values: { unit: "t", method: "g", given: "x" } } } }]);
});

it("asks for nothing where a form has no choice, and for the gate's own", () => {
  const load = remembered({});
  show(message("form", { ...fields, for_gate: true }), { loadLastChoice: load });
  show(message("form", { ...fields, response_schema: { type: "object", properties: { name: { type: "string" } } } }), { loadLastChoice: load });
  expect(load).not.toHaveBeenCalled();
});
