// What the server says in English is Chinese to a Chinese reader, by what it is about; what an agent or a person says stays.
import { afterEach, beforeEach, expect, it } from "vitest";
import chinese from "../../../locales/zh-Hans.po";
import { endingOf, titleOf, type UiTool } from "./cards.ts";
import { Problem } from "./problem.ts";
import { actionsOf, lineOf } from "./requirements.ts";
import { replyWords, sentenceWords, valueWords } from "./said.ts";
import { speak } from "./text.ts";
import type { CardKind, JsonObject } from "./wire/types.ts";

beforeEach(async () => {
  await speak("zh-Hans", chinese);
});
afterEach(() => speak("en", {}));

it.each<[CardKind, string, string, string]>([
  ["requirements", "Create the checklist?", "要创建 checklist 吗？", "Create the checklist?"],
  ["requirements", "Create the checklist, the itinerary and the research and budget?", "要创建 checklist、itinerary和research and budget 吗？", ""],
  ["uncertain_effect", "Did refund_order run?", "refund_order 执行了吗？", ""],
  ["validation", "Steel is not valid", "Steel 无效", ""],
  ["validation", "the data is valid", "数据 有效", ""],
  ["critical_failure", "The agent stopped with an error", "智能体因错误而停止", ""],
  // Of any other kind a title is an agent's, whatever it says.
  ["approval", "Create the checklist?", "Create the checklist?", ""],
])("the title of a card of kind %s: %s", (card, title, words) => {
  expect(titleOf({ card, title })).toBe(words);
  speak("en", {});
  expect(titleOf({ card, title })).toBe(title);
});

it("the words of an ending are found although its title is said otherwise", () => {
  const title = "Create the checklist?";
  const payload: JsonObject = { title, sayso: { card: "requirements" } };
  const tool = { payload, ui_tool_id: "requirements", ui_tool_status: "rejected", response_summary: `${title} rejected: The person did not approve this.` };
  expect(endingOf(tool as unknown as UiTool)).toEqual({ name: "要创建 checklist 吗？", words: "已拒绝：未获批准。" });
});

it("a reason of the server's own is said; one that a person gave stays", () => {
  expect(sentenceWords("Started over.")).toBe("已重新开始。");
  expect(sentenceWords("refund was approved and may already have run when it was interrupted.")).toBe("refund 已获批准，中断时可能已经执行。");
  expect(sentenceWords("I changed my mind.")).toBe("I changed my mind.");
});

it("what the gate says in a chat is said, and the application's questions in it stay", () => {
  expect(replyWords("I need a few more details: How long is it?")).toBe("我还需要了解：How long is it?");
  expect(replyWords("I have all the information needed for your checklist and your budget. Just say 'create the checklist' when you are ready.")).toBe(
    "创建 checklist和budget 所需的信息已齐全。准备好后，请说“create the checklist”。",
  );
  expect(replyWords("All right, I have not created the checklist.\n\nHere is your budget.")).toBe("好的，我没有创建 checklist。\n\n这是您的 budget。");
});

it.each<[string, JsonObject[string], JsonObject, string]>([
  ["10 days", "P10D", { type: "string", format: "duration" }, "10 天"],
  ["2 weeks", "P14D", { type: "string", format: "duration" }, "2 周"],
  ["36 hours", "P1DT12H", { type: "string", format: "duration" }, "36 小时"],
  ["90 seconds", "PT90S", { type: "string", format: "duration" }, "90 seconds"],
  ["10 days", "10 days", { type: "string" }, "10 days"],
  ["yes", true, { type: "boolean" }, "是"],
  ["none", [], { type: "array" }, "无"],
  ["none", "none", { type: "string" }, "none"],
])("a known value: %s", (text, value, schema, words) => {
  expect(valueWords(text, value, schema)).toBe(words);
  speak("en", {});
  expect(valueWords(text, value, schema)).toBe(text);
});

it("the panel's last line is made of what is missing, and a default is not", () => {
  const field = (label: string, assumed = false) => ({ field: label, label, assumed });
  const detail = { title: "Checklist", fields: [field("Place"), field("Duration"), field("People", true)] };
  const kept = (missing: string[]) => actionsOf({ requirements_detail: { a: detail }, requirements_status: { a: { missing } } } as JsonObject);
  const lines = () => [["Place", "Duration", "People"], ["Duration", "People"], []].map((missing) => kept(missing).map(lineOf)[0]);
  expect(lines()).toEqual(["创建 checklist 前，还需提供：place和duration", "创建 checklist 前，还需提供：duration", "可以创建 checklist 了"]);
  speak("en", {});
  expect(lines()).toEqual(["Ready to create checklist? Add place and duration", "Ready to create checklist? Add duration", "Ready to create the checklist"]);
});

it("keeps what the server names where its code alone does not say enough", () => {
  const document = { type: "x", title: "T", status: 422, detail: "Destination cannot be 7.", fix: "F", code: "invalid_input" };
  const problem = new Problem(document);
  expect([problem.title, problem.detail, problem.fix]).toEqual(["无法采用此内容", "请检查并修正您填写的内容。", "Destination cannot be 7."]);
});
