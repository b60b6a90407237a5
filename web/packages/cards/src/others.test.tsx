// The cards that inform, the ones that retry, and the application's own.
import { screen, waitFor } from "@testing-library/preact";
import { createElement } from "react";
import { expect, it, vi } from "vitest";
import { answer, CardView, Progress, registerCard, ToolRow, type CardProps } from "./index.ts";
import { artifact, away, confirmation, critical, criticalFields, freeQuestion, invalid, manyOptions, message, NOW, options, recoverable, toolCalls, uiTool, uncertain, validation } from "./testing/fixtures.ts";
import { show, refusal } from "./testing/press.tsx";
import { render } from "@testing-library/preact";

const button = (name: RegExp | string) => screen.getByRole("button", { name });

it("a question needs a choice, and leads to it", async () => {
  const { sent, user } = show(options);
  expect(screen.getAllByRole("radio").every((radio) => !(radio as HTMLInputElement).checked)).toBe(true);
  await user.click(button(/^Send answer/));
  expect(sent).toEqual([]);
  expect(document.activeElement).toBe(screen.getAllByRole("radio")[0]);
  expect(screen.getByText("Choose one.")).toBeTruthy();
});

it("a free question needs words", async () => {
  const { sent, user } = show(freeQuestion);
  await user.click(button(/^Send answer/));
  expect(sent).toEqual([]);
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: /^Your answer/ }));
});

it("a long list of options can be searched, and keeps what was chosen in sight", async () => {
  const { user, sent } = show(manyOptions);
  await user.click(screen.getByRole("radio", { name: /^Portugal/ }));
  await user.type(screen.getByRole("searchbox", { name: "Find an option" }), "land{Enter}");
  expect(sent).toEqual([]);
  expect(screen.getAllByRole("radio").map((radio) => radio.closest("label")?.querySelector("b")?.textContent)).toEqual([
    "Finland",
    "Ireland",
    "Netherlands",
    "Portugal",
  ]);
  expect(screen.getByRole("status").textContent).toBe("4 of 12 options");
  await user.click(button(/^Send answer/));
  expect(sent).toMatchObject([{ body: { response_data: { selected_option: "portugal" } } }]);
});

it("where the work stands is not told twice", () => {
  const { container } = show(options);
  expect(container.textContent).toContain("Steel production");
  expect(container.textContent).not.toContain("allocation_selection");
});

it("a confirmation names its buttons and shows all it depends on", () => {
  const { container } = show(confirmation);
  expect(button(/^Create it/)).toBeTruthy();
  expect(button(/^Not now…/)).toBeTruthy();
  expect(container.textContent).toContain("Kyoto");
});

it("a validation report asks nothing; a next step goes into the composer", async () => {
  const { sent, user, container } = show(validation);
  expect(container.textContent).toContain("✅ Valid");
  expect(screen.getByRole("rowheader", { name: "Quantitative reference exchanges" })).toBeTruthy();
  expect(container.querySelector(".sy-chip")).toBeNull();
  await user.click(button("Create the product system"));
  expect(sent).toEqual([{ type: "compose", text: "Create the product system" }]);
});

it("a report that is not valid says so in words, with its errors", () => {
  const { container } = show(invalid);
  expect(container.textContent).toContain("❌ Not valid 2 errors, 1 warning");
  expect(container.textContent).toContain("Order 1003 has no delivery address");
});

it("a critical failure shows its steps, and tries again", async () => {
  const { sent, user, container } = show(critical);
  expect(screen.getAllByRole("listitem").map((item) => item.textContent)).toContain("Ensure OpenLCA software is running");
  await user.click(button(/^Try again/));
  expect(sent).toEqual([{ type: "retry", tool_call_id: "call_9" }]);
  await waitFor(() => expect(document.activeElement?.textContent).toContain("Trying again."));
  expect(container.querySelector("[data-look]")).toBeNull();
});

it("a step's command is copied as it is shown, and said so", async () => {
  const steps = ["Start it with `sayso serve desk:app`.", "Not a command: an odd `one"];
  const { user } = show(message("critical_failure", { ...criticalFields, resolution_steps: steps }));
  const copied = vi.spyOn(navigator.clipboard, "writeText");
  expect(screen.getAllByRole("listitem")[1]?.textContent).toBe(steps[1]);
  await user.click(button("Copy: sayso serve desk:app"));
  expect(copied).toHaveBeenCalledExactlyOnceWith("sayso serve desk:app");
  await screen.findByText("Copied");
  copied.mockRejectedValueOnce(new Error("no"));
  await user.click(button("Copy: sayso serve desk:app"));
  await screen.findByText("This browser does not allow copying.");
});

it("the failure of a run says what was reported openly, once, and what to do", () => {
  const words = { title: "The agent is stuck", message: "The agent is stuck" };
  const own = { status: "critical_failure", agent_message: "", details: "Held for <5> seconds.", code: "agent_stuck" };
  const { container } = show(message("critical_failure", { ...words, ...own, resolution_steps: ["Mend the agent."] }));
  expect(container.textContent?.split("Held for <5> seconds.").length).toBe(2);
  expect(screen.getByText("Held for <5> seconds.").closest("details")).toBeNull();
  expect(screen.getAllByText(words.title).length).toBe(1);
  expect(screen.getByRole("listitem").textContent).toBe("Mend the agent.");
});

it("a recoverable error is tried again with corrected arguments", async () => {
  const { sent, user } = show(recoverable);
  const property = screen.getByRole("textbox", { name: /^Flow property/ });
  expect((property as HTMLInputElement).value).toBe("Volumee");
  await user.clear(property);
  await user.type(property, "Volume");
  await user.click(button(/^Try again/));
  expect(sent).toEqual([{ type: "retry", tool_call_id: "call_7", arguments: { name: "Water", flow_property: "Volume" } }]);
});

it("a run whose model was away is tried again whole", async () => {
  const { sent, user } = show(away);
  await user.click(button(/^Try again/));
  expect(sent).toEqual([{ type: "retry_run", run_id: "run-1" }]);
});

it("a retry that fails can be tried again", async () => {
  const { sent, user } = show(critical, { refusing: refusal });
  await user.click(button(/^Try again/));
  await waitFor(() => expect(document.activeElement?.textContent).toContain("could not be reached"));
  await user.click(button(/^Try again/));
  expect(sent.length).toBe(2);
});

it("an uncertain effect explains itself in plain words", () => {
  const { container } = show(uncertain);
  expect(container.textContent).toContain("It may have run, or not.");
  expect(screen.getByRole("radio", { name: /^Run it again.*called once more/ })).toBeTruthy();
});

it("an artifact is pointed to", async () => {
  const opened: string[] = [];
  const { user } = show(artifact, { openArtifact: (id) => opened.push(id) });
  await user.click(button(/^Open/));
  expect(opened).toEqual(["art_1"]);
});

it("an application's component draws its own card, and answers through the same door", async () => {
  const Plan = ({ submit, meta, payload }: CardProps) => (
    <button type="button" onClick={() => submit(answer(meta, { approved: true, data: { values: { plan: payload["title"] ?? null } } }))}>mine</button>
  );
  const takeBack = registerCard("ActionPlanApprovalForm", Plan);
  const { sent, user, unmount } = show(uiTool);
  await user.click(button("mine"));
  expect(sent).toEqual([{ type: "answer", body: { approved: true, response_data: { values: { plan: "Approve the action plan" } } } }]);
  takeBack();
  unmount();
  show(uiTool);
  expect(button(/^Accept the plan/)).toBeTruthy();
});

it("an application's custom element draws its own card", async () => {
  const takeBack = registerCard("ActionPlanApprovalForm", "test-plan");
  const { sent, container } = show(uiTool);
  const element = container.querySelector("test-plan") as HTMLElement & { payload?: { title?: string } };
  await waitFor(() => expect(element.payload?.title).toBe("Approve the action plan"));
  element.dispatchEvent(new CustomEvent("sayso-answer", { detail: { ok: true } }));
  expect(sent).toEqual([{ type: "answer", body: { approved: true, response_data: { values: { ok: true } } } }]);
  takeBack();
});

it("a card of a kind this version does not know is drawn from its payload", () => {
  const { container } = show(message("hologram" as never, { title: "From the future", colour: "green" }));
  expect(container.textContent).toContain("From the future");
  expect(container.textContent).toContain("green");
});

it("a plain message is no card", () => {
  const { container } = render(createElement(CardView, { message: { content: "hello", metadata: {} }, send: () => Promise.resolve(), now: NOW }));
  expect(container.textContent).toBe("");
});

it("a tool row folds, says how it went in words, and shows what a person changed", () => {
  const [, changed, running, failed] = toolCalls;
  const { container } = render(<div>{[changed, running, failed].map((call, i) => call && <ToolRow key={i} call={call} />)}</div>);
  const rows = [...container.querySelectorAll("details")];
  expect(rows.map((row) => row.querySelector("summary")?.textContent)).toEqual([
    "refund_order done · 1.4 s",
    "list_processes running…",
    "create_flow failed · 3.0 s",
  ]);
  expect(rows.every((row) => !row.open)).toBe(true);
  expect(rows[0]?.querySelector("del")?.textContent).toBe("42");
  expect(rows[2]?.textContent).toContain("Flow property 'Volumee' not found");
});

it("a tool row tells how long a tool took, not how long a person thought before they said no", () => {
  const [, changed] = toolCalls;
  if (changed === undefined) throw new Error("no call");
  // A call that waited an hour and never ran holds no seconds: the server tells those of a body alone.
  const { container } = render(<ToolRow call={{ ...changed, status: "rejected", ran_seconds: null }} />);
  expect(container.querySelector("summary")?.textContent).toBe("refund_order rejected");
});

it("where a run was stopped, no stage is under way any more", () => {
  const stages = [
    { id: "a", label: "Read", state: "done" },
    { id: "b", label: "Refund", state: "current" },
  ] as const;
  const { container } = render(<Progress progress={{ stages: [...stages], current: "b" }} run="stopped" />);
  expect(container.querySelector("[aria-current]")).toBeNull();
  expect(screen.getByText("stopped here")).toBeTruthy();
});

it("where a run waits, the stage it is at says so", () => {
  const stages = [{ id: "a", label: "Decide", state: "current" as const }];
  const { rerender } = render(<Progress progress={{ stages, current: "a" }} run="waits" />);
  expect(screen.getByText("waits for you").closest("[aria-current=step]")).toBeTruthy();
  rerender(<Progress progress={{ stages, current: "a" }} />);
  expect(screen.queryByText("waits for you")).toBeNull();
});

it("progress is told in words and has a name", () => {
  const stages = [
    { id: "a", label: "Goal", state: "done" as const },
    { id: "b", label: "Process", state: "current" as const },
  ];
  const { container } = render(<Progress progress={{ stages, current: "b", fraction: 0.5 }} />);
  expect(screen.getByRole("progressbar", { name: "Progress" })).toBeTruthy();
  expect(container.textContent).toContain("1 of 2 done");
  expect(container.querySelector("[aria-current=step]")?.textContent).toContain("Process, now");
});
