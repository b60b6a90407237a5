// What each card sends, press by press; Python reads the same bodies from the same file (tests/unit/core).
import { expect, it } from "vitest";
import type { CardKind, JsonObject } from "@sayso/core";
import cases from "../../../../tests/vectors/answers/cards.json";
import { message } from "./testing/fixtures.ts";
import { show } from "./testing/press.tsx";

interface Case {
  name: string;
  kind: CardKind;
  payload: JsonObject;
  meta: JsonObject;
  draft: JsonObject;
  press: string[];
  body: JsonObject;
}

it.each(cases as unknown as Case[])("$kind: $name", async ({ kind, payload, meta, draft, press, body }) => {
  const { sent, user, container } = show(message(kind, payload, meta), { draft });
  for (const words of press) {
    const button = [...container.querySelectorAll("button")].find((b) => b.textContent?.startsWith(words));
    if (button === undefined) throw new Error(`no button begins with “${words}”`);
    await user.click(button);
  }
  expect(sent).toEqual([{ type: "answer", body }]);
});
