// A rule begins with what was measured on its card, is tried before it can be kept, and is kept once.
import { cleanup, fireEvent, render, screen } from "@testing-library/preact";
import type { Interaction, Similar } from "@sayso/core";
import { afterEach, expect, it, vi } from "vitest";
import { api } from "../browser.ts";
import { RuleForm } from "./RuleForm.tsx";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const interaction = {
  interaction_id: "i1",
  card: "approval",
  agent_name: "desk",
  payload: { tool_name: "refund", tool_params: { amount: 42, order: 1001, pin: "•••" } },
} as unknown as Interaction;
const similar: Similar = { tool_name: "refund", argument: "amount", at_most: 50, decided: 9, approved: 9, approved_by_me: 7, rejected: 0 };
const tried = { days: 30, decided: 12, matched: 9, agreed: 9, mine: 7, against: 0, contradictions: [], toml: "" };

it("is tried as it is, and kept by one press of its own", async () => {
  const call = vi.spyOn(api, "call").mockImplementation(async (_, path) => (path === "/api/rules/trial" ? tried : {}) as never);
  render(<RuleForm interaction={interaction} similar={similar} />);
  const keep = screen.getByRole("button", { name: "Keep this rule" }) as HTMLButtonElement;
  expect(keep.disabled).toBe(true);
  await screen.findByText(/12 requests of the last 30 days it would have allowed 9/);
  const rule = { interaction_id: "i1", then: "allow", when: { amount: { le: 50 } } };
  expect(call.mock.calls).toEqual([["POST", "/api/rules/trial", rule]]);
  // A secret is no condition.
  expect(screen.queryByLabelText("Pin")).toBeNull();

  fireEvent.submit(keep.form!);
  fireEvent.submit(keep.form!);
  await screen.findByText(/The rule applies from now on/);
  const written = call.mock.calls.filter(([, path]) => path === "/api/rules");
  expect(written).toEqual([["POST", "/api/rules", { ...rule, ends_at: null }]]);
});
