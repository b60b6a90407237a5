// Requests that differ in one argument are decided row by row: each gets its own answer, and what is left gets none.
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/preact";
import type { Interaction } from "@sayso/core";
import { afterEach, expect, it, vi } from "vitest";
import { api } from "../browser.ts";
import { AlikeTable } from "./AlikeTable.tsx";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const row = (id: string) =>
  ({
    interaction_id: id,
    title: `Refund order ${id}`,
    status: "pending",
    created_at: "2026-01-01T00:00:00Z",
    payload: { tool_name: "refund", tool_params: { order: id }, requires_reason: true, sayso: { card: "approval", digest: `sha256:${id}` } },
  }) as unknown as Interaction;

it("sends one answer for each row that was decided, with its own digest", async () => {
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true;
  };
  const sent = vi.spyOn(api, "answerAll").mockImplementation(async (answers) => answers.map(({ id }) => ({ interaction_id: id })) as never);
  const done = vi.fn(async () => undefined);
  const alike = { argument: "order", rows: ["A1", "A2", "A3"].map(row) };
  render(<AlikeTable alike={alike} onAnswering={() => undefined} onDone={done} close={() => undefined} />);
  const choose = (word: string, at: number) => fireEvent.click(screen.getAllByLabelText(word)[at]!);
  choose("Approve", 0);
  choose("Reject", 2);
  const send = screen.getByText("Send 2 decisions", { selector: "button" });
  fireEvent.submit(send.closest("form")!);
  await screen.findByText("Add a reason; the agents will use it.");
  expect(sent).not.toHaveBeenCalled();
  fireEvent.change(screen.getByLabelText(/Reason for rejecting/), { target: { value: "paid already" } });
  fireEvent.submit(send.closest("form")!);
  await waitFor(() => expect(done).toHaveBeenCalledWith(["A1", "A3"]));
  const [answers] = sent.mock.calls[0] as unknown as [{ id: string; body: { approved: boolean; user_message?: string; metadata: { digest: string } } }[]];
  expect(answers.map(({ id, body }) => [id, body.approved, body.metadata.digest])).toEqual([
    ["A1", true, "sha256:A1"],
    ["A3", false, "sha256:A3"],
  ]);
  expect(JSON.stringify(answers[1])).toContain("paid already");
});
