// A card that is drawn again under its reader: what changed is said, what was typed stays, and each answer names what it is to.
import { screen } from "@testing-library/preact";
import { expect, it } from "vitest";
import { approval, confirmation, exchanges, freeQuestion, message, options, requirements, uiTool, uncertain } from "./testing/fixtures.ts";
import { show } from "./testing/press.tsx";
import { isObject } from "./state.ts";
import type { CardMessage, Change, JsonObject } from "./wire.ts";
import { uiToolOf } from "@sayso/core";

const form = message("form", { title: "Anything else?", response_schema: { type: "object", properties: { more: { type: "string" } } } });
const KINDS = { approval, exchanges, requirements, confirmation, options, freeQuestion, form, uiTool, uncertain };
const YES = /^(Approve|Create|Send|Go on|Accept|Yes)/;

/** The same card at another revision. */
function at(card: CardMessage, digest: string, revision: number, changes?: Change[]): CardMessage {
  const tool = uiToolOf(card);
  const sayso = tool?.payload["sayso"];
  if (tool === null || !isObject(sayso)) throw new Error("not a card");
  const meta = { ...sayso, digest, revision, ...(changes === undefined ? {} : { changes }) };
  const drawn = { ...tool, payload: { ...tool.payload, sayso: meta } };
  return { ...card, metadata: { ...card.metadata, ui_tool: drawn as unknown as JsonObject } };
}

const CHANGES: Change[] = [{ path: "details/Amount", before: 1000, after: 2000 }, { path: "arguments", before: null, after: null }];

it.each(Object.entries(KINDS))("%s says what its new revision changed", async (_, message) => {
  const { container, becomes } = show(at(message, "sha256:one", 1));
  expect(container.textContent).not.toContain("What changed");
  becomes(at(message, "sha256:two", 2, CHANGES));
  await screen.findByRole("heading", { name: "What changed" });
  const changes = container.querySelector(".sy-changes")?.textContent;
  expect(changes).toMatch(/Amount.*1,?000.*→.*2,?000/);
  expect(changes).toContain("changed, and not shown");
});

/** A table is answered in several steps: see exchanges.test.tsx. */
const { exchanges: _, ...AT_ONCE } = KINDS;

it.each(Object.entries(AT_ONCE))("an answer to %s names the revision that stands there", async (name, message) => {
  const { sent, user, becomes } = show(at(message, "sha256:one", 1));
  becomes(at(message, "sha256:two", 2, CHANGES));
  const choice = screen.queryAllByRole("radio")[0];
  if (choice !== undefined) await user.click(choice);
  if (name === "freeQuestion") await user.type(screen.getByRole("textbox"), "words");
  const [press] = screen.getAllByRole("button").filter((one) => YES.test(one.textContent));
  if (press === undefined) throw new Error("no button");
  await user.click(press);
  expect(sent).toMatchObject([{ type: "answer", body: { metadata: { digest: "sha256:two" } } }]);
});

it("keeps what was typed when its card is drawn again", async () => {
  const { user, becomes } = show(at(approval, "sha256:one", 1));
  await user.click(screen.getByRole("button", { name: /^Reject/ }));
  await user.type(screen.getByRole("textbox", { name: /^Reason for rejecting/ }), "half a thought");
  becomes(at(approval, "sha256:two", 2, CHANGES));
  await screen.findByRole("heading", { name: "What changed" });
  expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: /^Reason for rejecting/ }).value).toBe("half a thought");
});
