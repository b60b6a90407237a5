// The page says what the terminal says (tests/public/test_messages.py writes the vectors), and an unknown code keeps its text.
import { afterEach, beforeEach, expect, it } from "vitest";
import english from "../../../../src/sayso/locales/en.json";
import chineseMessages from "../../../../src/sayso/locales/zh-Hans.json";
import vectors from "../../../../tests/vectors/said/messages.json";
import chinese from "../../../locales/zh-Hans.po";
import { cardTitleOf, endingOf, titleOf, type UiTool } from "./cards.ts";
import { messageText, partText, spokenText } from "./messages.ts";
import { Problem } from "./problem.ts";
import { renderer } from "./renderMessage.ts";
import { lineOf, type ActionRequirements } from "./requirements.ts";
import { speak } from "./speak.ts";
import type { JsonObject } from "./wire/types.ts";

const say = { en: renderer(english, "en"), "zh-Hans": renderer(chineseMessages, "zh-Hans") };

beforeEach(() => speak("zh-Hans", chinese));
afterEach(() => speak("en", {}));

it.each(vectors.map((vector) => [vector.text, vector] as const))("%s", (text, { code, params, says }) => {
  expect(say.en(code, params as JsonObject)).toBe(text);
  expect({ en: text, "zh-Hans": say["zh-Hans"](code, params as JsonObject) }).toEqual(says);
  expect(messageText({ code, params: params as JsonObject }, text)).toBe(says["zh-Hans"]);
});

it("shows the stored text where there is no code, where it is unknown, and in English", async () => {
  expect(messageText({}, "I changed my mind.")).toBe("I changed my mind.");
  expect(messageText({ code: "from.the.future" }, "As it stands")).toBe("As it stands");
  expect(messageText({ code: "gate.not_done" }, "As it stands")).toBe("As it stands");
  await speak("en", {});
  expect(messageText({ code: "run.started_over" }, "Started over.")).toBe("Started over.");
});

const CONFIRM = {
  card: "requirements",
  code: "gate.confirm",
  params: { ask: { code: "gate.ask_verb", params: { verbs: ["wire the money"] }, text: "Wire the money?" }, do: "wire the money" },
};

it("a card of the server's own has its title and its buttons by code", () => {
  const tool = { payload: { title: "Wire the money?", sayso: CONFIRM }, ui_tool_id: "requirements" } as unknown as UiTool;
  expect(cardTitleOf(tool)).toBe("要执行“wire the money”吗？");
  expect(titleOf({ title: "Wire the money?", payload: tool.payload })).toBe("要执行“wire the money”吗？");
  expect(partText(CONFIRM as never, "message", "Check the values.")).toBe("请核对这些值，每个都可以修改。");
});

it("the ending of a card is found although its title is said otherwise", () => {
  const payload = { title: "Wire the money?", sayso: CONFIRM } as unknown as JsonObject;
  const reason = { code: "answer.not_approved", params: {}, text: "The person did not approve this." };
  const tool = { payload, ui_tool_id: "requirements", ui_tool_status: "rejected", code: "settled.because", params: { reason } };
  expect(endingOf(tool as unknown as UiTool)).toEqual({ name: "要执行“wire the money”吗？", words: "已拒绝：未获批准。", saysWho: false });
});

it("what the gate says in a chat is said by paragraphs, and an application's own stays", () => {
  const said = [{ code: "gate.not_done", params: { what: "wire the money" }, text: "" }, { text: "Here's your budget." }];
  expect(spokenText({ said })).toBe("好的，未执行：wire the money。\n\nHere's your budget.");
  expect(spokenText({})).toBeNull();
});

it("the panel's last line is the server's", () => {
  const action = { line: "Ready to wire the money? Add amount", code: "gate.missing_to_do", params: { what: "wire the money", missing: ["amount"] } };
  expect(lineOf(action as unknown as ActionRequirements)).toBe("执行“wire the money”前，还需提供：amount");
});

const REFUSED = { type: "x", title: "T", status: 422, detail: "Destination cannot be 7.", fix: "F", code: "invalid_input" };

it("keeps what the server names where a problem's code alone does not say enough", () => {
  const problem = new Problem(REFUSED);
  expect([problem.title, problem.detail, problem.fix]).toEqual(["无法采用此内容", "请检查并修正您填写的内容。", "Destination cannot be 7."]);
});

it("says what happened, and what is wrong with each field, where it can", () => {
  const errors = [{ path: "values/n", message: "needs an answer", code: "field.needs_answer" }, { path: "values/m", message: "is odd" }];
  const problem = new Problem({ ...REFUSED, detail_code: "gate.cannot_be", params: { label: "Destination", value: "7" }, errors });
  expect([problem.detail, problem.fix]).toEqual(["Destination不能是 7。", "请检查并修正您填写的内容。"]);
  expect(problem.errors.map(({ message }) => message)).toEqual(["需要回答", "is odd"]);
});

it("says that nobody signed in to answer", async () => {
  const ended = { code: "settled.approved", params: { name: "Deploy?" } };
  const tool = { payload: { title: "Deploy?" }, code: "settled.without_sign_in", params: { ended }, ui_tool_status: "completed" };
  await speak("en", {});
  expect(endingOf(tool as unknown as UiTool, { who: "ada", isMe: false }).words).toBe("approved by ada, answered without sign-in");
});
