// An approval is decided by a press, with what was on the screen; a rejection says why.
import { cleanup, screen, waitFor } from "@testing-library/preact";
import { expect, it, vi } from "vitest";
import { approval, approvalFields, approvalOfMany, approvalWithTime, DIGEST, foreignApproval, irreversible, message, revised, settled } from "../testing/fixtures.ts";
import { refusal, show } from "../testing/press.tsx";

const button = (name: RegExp | string) => screen.getByRole("button", { name });

it("shows everything under approval, whole and unfolded", () => {
  const { container } = show(approval);
  const visible = [...container.querySelectorAll("dd")].filter((dd) => dd.closest("details") === null);
  const text = visible.map((dd) => dd.textContent).join(" | ");
  for (const value of ["1001", "42", "Ana Petrović", "ana@example.org", "Teapot, glass", "34.5", "Tea strainer", "yes", "none"]) {
    expect(text).toContain(value);
  }
  expect(screen.getByText(/Pays €42.00 back/).closest("div")?.textContent).toMatch(/^Impact:/);
});

it("shows arguments that the details do not repeat", () => {
  show(message("approval", { ...approvalFields, entity_details: { amount: 42 }, edit_schema: null }));
  expect(screen.getByRole("heading", { name: "Arguments of refund_order" })).toBeTruthy();
  expect(screen.getByText("1001")).toBeTruthy();
});

it("lets no letter turn what is approved around, in its title or its values", () => {
  const turned = "to \u202emoc.live@arik";
  const { container } = show(message("approval", { ...approvalFields, title: turned, tool_params: { to: turned }, entity_details: {}, edit_schema: null }));
  expect(screen.getByRole("heading", { level: 3 }).textContent).toBe("to ‹U+202E›moc.live@arik");
  expect(container.querySelector("dd")?.textContent).toBe("to ‹U+202E›moc.live@arik");
});

it("approves with the digest that was shown", async () => {
  const { sent, user } = show(approval);
  await user.click(button("Approve: Refund €42.00 for order 1001"));
  expect(sent).toEqual([{ type: "answer", body: { approved: true, metadata: { digest: DIGEST } } }]);
});

it("sends one answer for two presses", async () => {
  const { sent, user } = show(approval);
  await user.dblClick(button(/^Approve/));
  expect(sent.length).toBe(1);
});

it("says no more than sending until the chat says that it is settled", async () => {
  const { user, becomes, container } = show(approval);
  await user.click(button(/^Approve/));
  expect(button(/^Sending/).getAttribute("aria-disabled")).toBe("true");
  expect(container.textContent).not.toContain("approved by");
  becomes(settled(approval, "completed", { completed_by: "ana" }));
  expect(container.querySelector("summary")?.textContent).toMatch(/^• Refund €42.00 for order 1001 approved by ana · /);
});

it("gives the focus to the receipt when the answer is settled", async () => {
  const { user, becomes, container } = show(approval);
  await user.click(button(/^Approve/));
  becomes(settled(approval, "completed"));
  expect(document.activeElement).toBe(container.querySelector("summary"));
});

it("gives the focus to the receipt inside a shadow root as well", async () => {
  const host = document.createElement("div");
  document.body.append(host);
  const inside = document.createElement("div");
  const shadow = host.attachShadow({ mode: "open" });
  shadow.append(inside);
  const { becomes, unmount } = show(approval, { into: inside });
  const approve = [...inside.querySelectorAll("button")].find((b) => b.textContent?.startsWith("Approve"));
  approve?.focus();
  approve?.click();
  becomes(settled(approval, "completed"));
  expect(shadow.activeElement).toBe(inside.querySelector("summary"));
  unmount();
  host.remove();
});

it("leaves the focus alone when the card is settled elsewhere", () => {
  const { becomes } = show(approval);
  const composer = document.createElement("textarea");
  document.body.append(composer);
  composer.focus();
  becomes(settled(approval, "completed"));
  expect(document.activeElement).toBe(composer);
  composer.remove();
});

it("does not take the focus when it appears", () => {
  show(approval);
  expect(document.activeElement).toBe(document.body);
});

it("asks why before it rejects, and goes on only with a reason", async () => {
  const { sent, user } = show(approval);
  await user.click(button(/^Reject/));
  const reason = screen.getByRole("textbox", { name: /^Reason for rejecting/ });
  expect(document.activeElement).toBe(reason);

  await user.click(button(/^Reject/));
  expect(sent).toEqual([]);
  expect(reason.getAttribute("aria-invalid")).toBe("true");
  expect(document.getElementById(reason.getAttribute("aria-describedby")?.split(" ")[0] ?? "")?.textContent).toMatch(/Add a reason/);
  expect(document.activeElement).toBe(reason);

  await user.type(reason, "Only the teapot broke");
  await user.type(screen.getByRole("textbox", { name: /^Suggest alternatives/ }), "Refund 34.50{enter}Send a new one");
  await user.click(button(/^Reject/));
  expect(sent).toEqual([
    {
      type: "answer",
      body: {
        approved: false,
        user_message: "Only the teapot broke",
        response_data: { suggestions: ["Refund 34.50", "Send a new one"] },
        metadata: { digest: DIGEST },
      },
    },
  ]);
});

it("leads back to Reject, with the reason kept", async () => {
  const { user } = show(approval);
  await user.click(button(/^Reject/));
  await user.type(screen.getByRole("textbox", { name: /^Reason for rejecting/ }), "half a thought");
  await user.click(button(/^Back/));
  expect(document.activeElement).toBe(button(/^Reject/));
  await user.click(button(/^Reject/));
  expect((screen.getByRole("textbox", { name: /^Reason for rejecting/ }) as HTMLTextAreaElement).value).toBe("half a thought");
});

it("does nothing on Escape", async () => {
  const { sent, user } = show(approval);
  button(/^Approve/).focus();
  await user.keyboard("{Escape}");
  await user.click(button(/^Reject/));
  await user.keyboard("{Escape}");
  expect(sent).toEqual([]);
  expect(screen.getByRole("textbox", { name: /^Reason for rejecting/ })).toBeTruthy();
});

it("sends only what was changed, beside what it was", async () => {
  const { sent, user, container } = show(approval);
  await user.click(button("Change: Amount"));
  const amount = screen.getByRole("textbox", { name: /^Amount/ });
  expect(document.activeElement).toBe(amount);
  await user.clear(amount);
  await user.type(amount, "34.5");
  expect(container.querySelector("del")?.textContent).toBe("42");
  await user.click(button(/^Approve/));
  expect(sent).toEqual([
    { type: "answer", body: { approved: true, response_data: { edits: { amount: 34.5 } }, metadata: { digest: DIGEST } } },
  ]);
});

it("changes one of a list by choosing from it, and what was chosen last is not chosen for it", async () => {
  const load = vi.fn(() => Promise.resolve({ reason: "wrong_item" }));
  const { sent, user } = show(approval, { loadLastChoice: load });
  await user.click(button("Change: Reason"));
  const reason = screen.getByRole<HTMLSelectElement>("combobox", { name: /^Reason/ });
  expect([...reason.options].map((option) => option.text)).toEqual(["Choose…", "damaged", "late", "wrong_item"]);
  expect(reason.selectedOptions[0]?.text).toBe("damaged");
  await user.selectOptions(reason, "late");
  await user.click(button(/^Approve/));
  expect(sent).toMatchObject([{ body: { approved: true, response_data: { edits: { reason: "late" } } } }]);
  expect(load).not.toHaveBeenCalled();
});

it("keeps the original at a press, and gives the focus back", async () => {
  const { sent, user } = show(approval);
  await user.click(button("Change: Amount"));
  await user.type(screen.getByRole("textbox", { name: /^Amount/ }), "0");
  await user.click(button(/^Keep 42/));
  expect(document.activeElement).toBe(button("Change: Amount"));
  await user.click(button(/^Approve/));
  expect(sent).toEqual([{ type: "answer", body: { approved: true, metadata: { digest: DIGEST } } }]);
});

it("does not approve a change that does not fit, and leads to it", async () => {
  const { sent, user } = show(approval, { draft: { edits: { amount: "420" } } });
  await user.click(button(/^Approve/));
  expect(sent).toEqual([]);
  const amount = screen.getByRole("textbox", { name: /^Amount/ });
  expect(document.activeElement).toBe(amount);
  expect(amount.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByText("It must be 42 or less.")).toBeTruthy();
});

it("shows what the server said of a change, at the change", async () => {
  const refusing = { ...refusal, code: "answer_invalid", errors: [{ path: "edits/amount", message: "is more than was paid" }] };
  const { user } = show(approval, { refusing, draft: { edits: { amount: "34.5" } } });
  await user.click(button(/^Approve/));
  await waitFor(() => expect(screen.getByRole("textbox", { name: /^Amount/ }).getAttribute("aria-invalid")).toBe("true"));
});

it("sends a note with an approval", async () => {
  const { sent, user } = show(approval, { draft: { note: "Looks good" } });
  await user.click(button(/^Approve/));
  expect(sent).toEqual([
    { type: "answer", body: { approved: true, user_message: "Looks good", metadata: { digest: DIGEST } } },
  ]);
});

it("opens the reason at once when one was begun, and leaves the focus where it is", async () => {
  const { user } = show(approval, { draft: { reason: "Only the teapot" } });
  const reason = screen.getByRole("textbox", { name: /^Reason for rejecting/ }) as HTMLTextAreaElement;
  expect(reason.value).toBe("Only the teapot");
  expect(document.activeElement).toBe(document.body);
  await user.click(button(/^Back/));
  expect(document.activeElement).toBe(button(/^Reject…/));
  await user.click(button(/^Reject…/));
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: /^Reason for rejecting/ }));
});

it("is not undone by a late echo of its own words, and takes those of another device", async () => {
  const late = show(approval, { draft: { reason: "no" } });
  const reason = () => screen.getByRole("textbox", { name: /^Reason for rejecting/ }) as HTMLTextAreaElement;
  await late.user.type(reason(), ", never");
  reason().blur();
  late.becomes(approval, { reason: "no, n" });
  expect(reason().value).toBe("no, never");
  late.becomes(approval, { reason: "from my phone" });
  await waitFor(() => expect(reason().value).toBe("from my phone"));
  reason().focus();
  late.becomes(approval, { reason: "from my phone, too" });
  expect(reason().value).toBe("from my phone");
});

it("keeps a note open under its writer", async () => {
  const { user, container } = show(approval, { draft: { note: "x" } });
  const note = screen.getByRole("textbox", { name: /^Note to the agent/ });
  await user.clear(note);
  expect(note.closest("details")?.open).toBe(true);
  expect(container.contains(document.activeElement)).toBe(true);
});

it("asks once more before what cannot be taken back", async () => {
  const { sent, user } = show(irreversible);
  await user.click(button(/^Approve/));
  expect(sent).toEqual([]);
  expect(document.activeElement).toBe(screen.getByRole("heading", { name: /^Confirm/ }));
  await user.click(button(/^Back/));
  expect(document.activeElement).toBe(button(/^Approve/));
  await user.click(button(/^Approve/));
  await user.click(button(/^Yes, approve/));
  expect(sent.length).toBe(1);
});

it("goes back to its first step when the proposal changes under it", async () => {
  const { user, becomes } = show(approval);
  await user.click(button(/^Reject/));
  becomes(revised);
  await waitFor(() => expect(button(/^Refund it/)).toBeTruthy());
});

it("names its buttons as the agent does, and shows what a revision changed", () => {
  const { container } = show(revised);
  expect(button(/^Refund it/)).toBeTruthy();
  expect(button(/^Don't refund…/)).toBeTruthy();
  expect(container.querySelector(".sy-changes")?.textContent).toMatch(/42.*→.*34.5/);
  expect(container.textContent).toContain("revision 2");
});

it("says when the agent itself acts on the answer", () => {
  const { container } = show(foreignApproval);
  expect(container.textContent).toContain("The agent itself acts on your answer");
});

it("keeps the digest behind Details", () => {
  const { container } = show(approval);
  const found = [...container.querySelectorAll("details")].filter((details) => details.textContent?.includes(DIGEST));
  expect(found.length).toBe(1);
  expect(found[0]?.open).toBe(false);
});

it("keeps what was typed when sending fails, says why, and can send again", async () => {
  const { sent, user, container } = show(approval, { refusing: refusal });
  await user.click(button(/^Reject/));
  await user.type(screen.getByRole("textbox", { name: /^Reason for rejecting/ }), "too much");
  await user.click(button(/^Reject/));
  await waitFor(() => expect(document.activeElement?.textContent).toContain("The server could not be reached."));
  expect((screen.getByRole("textbox", { name: /^Reason for rejecting/ }) as HTMLTextAreaElement).value).toBe("too much");
  expect(container.textContent).toContain("Try again when you are connected.");
  await user.click(button(/^Reject/));
  expect(sent.length).toBe(2);
});

it("does not take the focus back when sending fails after the reader has gone on", async () => {
  let fail: (problem: unknown) => void = () => undefined;
  const { user, container } = show(approval, { going: new Promise((_, reject) => (fail = reject)) });
  const composer = document.createElement("textarea");
  document.body.append(composer);
  await user.click(button(/^Approve/));
  composer.focus();
  fail(refusal);
  await waitFor(() => expect(container.textContent).toContain("could not be reached"));
  expect(document.activeElement).toBe(composer);
  composer.remove();
});

it("dismisses, which is neither yes nor no", async () => {
  const { sent, user } = show(approval);
  await user.click(button(/^Skip/));
  expect(sent).toEqual([{ type: "dismiss" }]);
});

it("tells the time left in plain text, and asks for more", async () => {
  const { sent, user, container } = show(approvalWithTime);
  const time = screen.getByText(/1 h 39 min left/);
  expect(time.textContent).toContain("counts as rejected");
  expect(container.querySelector("[aria-live], [role=status], [role=alert], [role=timer]")).toBeNull();
  await user.click(button("More time"));
  expect(sent).toEqual([{ type: "extend", seconds: 3600 }]);
  expect(button(/^Approve/)).toBeTruthy();
});

it("gives out every word that is typed, and takes drafts from elsewhere while nobody types here", async () => {
  const { drafts, user, unmount } = show(approval);
  await user.click(button(/^Reject/));
  await user.type(screen.getByRole("textbox", { name: /^Reason for rejecting/ }), "no");
  expect(drafts).toEqual([{ reason: "n" }, { reason: "no" }]);
  unmount();
  show(approval, { draft: drafts.at(-1) });
  await user.click(button(/^Reject/));
  expect((screen.getByRole("textbox", { name: /^Reason for rejecting/ }) as HTMLTextAreaElement).value).toBe("no");
});

it("offers always only where the policy does, as a part of the same yes", async () => {
  show(approval);
  expect(screen.queryByRole("checkbox")).toBeNull();
  cleanup();
  const { sent, user } = show(approvalOfMany);
  await user.click(screen.getByRole("checkbox", { name: /allow refund_order from now on in this chat/ }));
  await user.click(button(/^Approve/));
  expect(sent).toEqual([{ type: "answer", body: { approved: true, metadata: { digest: DIGEST, always_allow: true } } }]);
});

it("holds its inputs still while the answer is on its way, without taking the focus", async () => {
  const { user, container, becomes } = show(approvalOfMany, { draft: { edits: { amount: "34.5" } }, going: new Promise(() => undefined) });
  const always = screen.getByRole<HTMLInputElement>("checkbox");
  await user.click(button(/^Approve/));
  expect(document.activeElement).toBe(button(/^Sending/));
  const amount = screen.getByRole<HTMLInputElement>("textbox", { name: /^Amount/ });
  await user.type(amount, "9");
  await user.click(always);
  expect([amount.value, amount.readOnly, always.checked, always.getAttribute("aria-disabled")]).toEqual(["34.5", true, false, "true"]);
  expect(container.querySelector(":disabled")).toBeNull();
  becomes(settled(approvalOfMany, "completed"));
});

it("comes back with the tool's words at the field, and with what was typed", async () => {
  const errors = [{ path: "edits/amount", message: "Only 43.20 was paid for order 1009." }];
  const back = message("approval", { ...approvalFields, typed: { amount: 50 }, errors }, { digest: DIGEST, revision: 2 });
  const { sent, user, container } = show(back);
  const amount = screen.getByRole<HTMLInputElement>("textbox", { name: /^Amount/ });
  expect(amount.value).toBe("50");
  expect(amount.getAttribute("aria-invalid")).toBe("true");
  const described = (amount.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent);
  expect(described.join(" ")).toContain("Only 43.20");
  expect(container.querySelector('[data-tone="bad"]')?.textContent).toContain("Nothing was done: Only 43.20 was paid for order 1009.");
  await user.clear(amount);
  await user.type(amount, "40");
  await user.click(button(/^Approve/));
  expect(sent).toEqual([{ type: "answer", body: { approved: true, response_data: { edits: { amount: 40 } }, metadata: { digest: DIGEST } } }]);
});

it("shows who asks from outside as it says itself, and apart what no yes is to", () => {
  const asker = { client: "ci", session: "build-7", folder: "/src", host: "runner-1" };
  const ask = message("approval", { ...approvalFields, not_bound: { note: "the usual" } }, { asker });
  show(ask);
  expect(screen.getByText("Asked from outside. It says it is ci · /src · runner-1 · build-7")).toBeTruthy();
  const apart = screen.getByRole("heading", { name: "Not part of what you approve" }).closest("div");
  expect(apart?.textContent).toContain("the usual");
});

const QUERY = "select id\nfrom orders\nwhere open";
const replacing = message("approval", {
  ...approvalFields,
  tool_params: { query: QUERY.replace("open", "late"), limit: 5 },
  entity_details: {},
  before: { query: QUERY, limit: 3 },
  edit_schema: { properties: { query: { type: "string", contentMediaType: "text/plain" } } },
});

it("shows what a call would replace, line by line, in words as well", () => {
  const { container } = show(replacing);
  expect([...container.querySelectorAll(".sy-diff > *")].map((line) => `${line.tagName} ${line.textContent}`)).toEqual([
    "SPAN select id",
    "SPAN from orders",
    "DEL removed: where open",
    "INS added: where late",
  ]);
  expect(container.textContent).toContain("was 3 → 5");
});

it("shows a change of several lines under the field, line by line", async () => {
  const { container, user } = show(replacing);
  await user.click(button("Change: Query"));
  expect(container.querySelector(".sy-diff")).toBeNull();
  await user.type(screen.getByRole("textbox", { name: /Query/ }), "{Enter}limit 9");
  await waitFor(() => expect(container.querySelector(".sy-diff > ins")?.textContent).toBe("added: limit 9"));
});
