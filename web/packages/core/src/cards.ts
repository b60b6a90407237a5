// Reads the card of a message: the fields of its payload, what it asks for, and its status.
import { type Coded, messageIn, messageText, partText } from "./messages.ts";
import { t } from "./text.ts";
import type { CameOf, Interaction } from "./wire/rest.ts";
import type {
  CardFields,
  CardKind,
  CardMeta,
  Display,
  InteractionState,
  JsonObject,
  JsonValue,
  MessageItem,
} from "./wire/types.ts";

/** What says the texts of a document that has several, by field. */
export type Said = Record<string, Coded>;

/** `shown` is a card that asks for nothing. */
export type CardStatus = InteractionState | "shown";

/** The `metadata.ui_tool` of a message (the chat metadata contract). */
export interface UiTool {
  ui_tool_id: string;
  event_id: string;
  display: Display;
  ui_tool_completed: boolean;
  ui_tool_status: CardStatus;
  payload: JsonObject;
  timestamp: string;
  response_summary?: string;
  /** What says the summary in other languages. */
  code?: string;
  params?: JsonObject;
  completed_at?: string;
  completed_by?: string;
  ui_tool_dismissed?: boolean;
  /** The outcome of what was approved here. */
  outcome?: CameOf;
}

/** A card's fields, tagged with its kind. */
export type CardBody = { [K in CardKind]: { kind: K; fields: CardFields[K] } }[CardKind];

/** Return the card of a message, or null for plain text. */
export function uiToolOf(message: Pick<MessageItem, "metadata">): UiTool | null {
  const tool = message.metadata["ui_tool"];
  return isObject(tool) ? (tool as unknown as UiTool) : null;
}

/** Whether it waits for a person. */
export function isPending(message: Pick<MessageItem, "metadata">): boolean {
  const tool = uiToolOf(message);
  return tool?.ui_tool_status === "pending" && !isHold(tool);
}

/** Whether it was approved and can still be taken back: it needs nobody. */
export function isHold({ payload }: Pick<UiTool, "payload">): boolean {
  return cardMetaOf(payload).card === "hold";
}

/** Return how a card is answered. A payload without `sayso` is an application's own and asks for nothing. */
export function cardMetaOf(payload: JsonObject): CardMeta {
  const own = payload["sayso"];
  const known = isObject(own) ? (own as unknown as Partial<CardMeta>) : {};
  return { card: "ui_tool", revision: 1, assignees: [], ...known };
}

export function cardBodyOf(payload: JsonObject): CardBody {
  const { sayso: _, ...fields } = payload;
  // The server builds the fields from the model that the kind names.
  return { kind: cardMetaOf(payload).card, fields } as unknown as CardBody;
}

/** Turn an interaction of the inbox into the message that its card is drawn from in a chat. */
export function messageOf(interaction: Interaction): MessageItem {
  const settled = interaction.status !== "pending";
  const { interaction_id: event_id, settled_at, settled_by } = interaction;
  const ending = endingSaid(interaction);
  const ui_tool: JsonObject = {
    ui_tool_id: interaction.ui_tool_id,
    event_id,
    display: interaction.display,
    ui_tool_completed: settled,
    ui_tool_status: interaction.status,
    payload: interaction.payload,
    timestamp: interaction.created_at,
    ...(settled ? { code: ending.code, params: ending.params } : {}),
    ...(settled_at ? { completed_at: settled_at } : {}),
    ...(settled_by ? { completed_by: settled_by } : {}),
    ...(interaction.status === "dismissed" ? { ui_tool_dismissed: true } : {}),
    ...(interaction.outcome ? { outcome: interaction.outcome as unknown as JsonObject } : {}),
  };
  const said = interaction.payload["agent_message"];
  return {
    kind: "message",
    event_id,
    sequence: 0,
    as_of: 0,
    role: "assistant",
    agent_name: interaction.agent_name,
    content: typeof said === "string" ? said : "",
    timestamp: interaction.created_at,
    status: "complete",
    run_id: interaction.run_id,
    metadata: { ui_tool },
  };
}

function asksForYes(card: CardKind): boolean {
  return ACTS.has(card) || card === "confirmation";
}

/** Cards whose approval lets something run. */
const ACTS: ReadonlySet<CardKind> = new Set<CardKind>(["approval", "exchanges", "requirements"]);

/** Whether it asks nothing, and is done when it was shown. */
export function isNotice({ payload }: Pick<UiTool, "payload">): boolean {
  return payload["is_notice"] === true;
}

/** Whether the answer lets something run: then an approval alone is not yet a success. */
export function asksToAct({ payload }: Pick<UiTool, "payload">): boolean {
  return ACTS.has(cardMetaOf(payload).card) && payload["agent_acts"] !== true;
}

/** How it was decided, and whether anyone signed in for it, as `settled_summary` (core/decisions.py) says it. */
function endingSaid(interaction: Interaction): { code: string; params: JsonObject } {
  const ended = decisionSaid(interaction);
  return interaction.response?.metadata?.["signed_in"] === false ? { code: "settled.without_sign_in", params: { ended } } : ended;
}

function decisionSaid({ card, status, response, title, ui_tool_id }: Interaction): { code: string; params: JsonObject } {
  const said = (code: string, params: JsonObject) => ({ code: `settled.${code}`, params });
  const name = { name: card === "ui_tool" ? ui_tool_id : title };
  if (status === "rejected" && response?.user_message) {
    const reason: JsonObject = { ...(response as Coded), text: response.user_message };
    return said("because", { ended: said("rejected", name), reason });
  }
  if (card === "hold" && status !== "cancelled") return said(stood(status) ? "let_run" : "taken_back", name);
  if (status !== "completed" || !asksForYes(card)) return said(status, name);
  const isPartial = Object.keys(response?.response_data?.rejected_rows ?? {}).length > 0;
  const ended = said(isPartial ? "approved_in_part" : "approved", name);
  if (typeof response?.metadata?.["message_id"] !== "string") return ended;
  return said("in_words", { ended, words: response.user_message ?? "" });
}

/** Return the name of a card: what ran, if known, else its title, else its tool. */
export function cardTitleOf(tool: UiTool): string {
  if (tool.outcome?.title != null) return tool.outcome.title;
  return partText(cardMetaOf(tool.payload), "title", storedTitle(tool));
}

/** Return the name of an interaction in a list or in the history. */
export function titleOf({ title, payload, said }: { title: string; payload?: JsonObject; said?: Said | null }): string {
  return payload === undefined ? messageText(said?.["title"], title) : partText(cardMetaOf(payload), "title", title);
}

function storedTitle({ payload, ui_tool_id }: UiTool): string {
  const title = payload["title"];
  return typeof title === "string" && title !== "" ? title : ui_tool_id;
}

export interface Ending {
  /** An application's own card is named by its ui_tool_id. */
  name: string;
  words: string;
  /** Whether the text names the person. */
  saysWho: boolean;
}

/** Return who decided, as the reader sees it. */
export interface Decider {
  who: string;
  isMe: boolean;
}

/** What follows the glyph of a settled card: the server's summary, said in the reader's language. */
export function endingOf(tool: UiTool, by?: Decider): Ending {
  if (isNotice(tool) && tool.ui_tool_status === "completed") return { name: storedTitle(tool), words: seenWords(by), saysWho: by !== undefined };
  if (tool.code === "settled.without_sign_in" && isObject(tool.params?.["ended"])) {
    const { code, params } = tool.params["ended"] as Coded;
    const ending = endingOf({ ...tool, code, params } as UiTool, by);
    return { ...ending, words: t("{ended}, answered without sign-in", { ended: ending.words }) };
  }
  const meta = cardMetaOf(tool.payload);
  const stored = storedTitle(tool);
  const approval = tool.code === undefined ? null : approvalWords(tool, by, tool.outcome);
  return {
    name: meta.card === "ui_tool" ? tool.ui_tool_id : partText(meta, "title", stored),
    words: approval ?? endingWords(tool, stored),
    saysWho: approval !== null && by !== undefined,
  };
}

function seenWords(by: Decider | undefined): string {
  if (by === undefined) return t("seen");
  return by.isMe ? t("seen by you") : t("seen by {who}", { who: by.who });
}

function endingWords({ code, params, ui_tool_status, ui_tool_id, response_summary = "" }: UiTool, title: string): string {
  if (code === "settled.because") {
    const why = messageIn(params?.["reason"]);
    return ui_tool_status === "superseded" ? why : t("rejected: {why}", { why });
  }
  if (code === "settled.let_run") return heldWords(true);
  if (code === "settled.taken_back") return heldWords(false);
  if (code !== undefined || response_summary === "") return statusWords(ui_tool_status);
  // Of an older server: as it stands there.
  const name = [title, ui_tool_id].find((one) => response_summary.startsWith(`${one} `));
  const said = name === undefined ? response_summary : response_summary.slice(name.length + 1);
  return said === ui_tool_status ? statusWords(ui_tool_status) : said;
}

/** How it was approved; null where it was not. */
function approvalWords({ code, params }: Coded, by: Decider | undefined, became: CameOf | undefined): string | null {
  const ended = params?.["ended"];
  const inner = () => (isObject(ended) ? approvalWords(ended as Coded, by, became) : null);
  switch (code) {
    case "settled.remembered": {
      const ended = inner();
      return ended && t("{ended}, from now on without asking in this chat", { ended });
    }
    case "settled.changed":
    case "settled.changed_many": {
      const decided = inner();
      // What it was stands there with its value, once it is known what ran.
      return became?.changed.length ? decided : decided && withChanges(decided, params ?? {});
    }
    case "settled.in_words": {
      const words = String(params?.["words"] ?? "");
      if (by === undefined) return t("approved: “{words}”", { words });
      return by.isMe ? t("approved by you: “{words}”", { words }) : t("approved by {who}: “{words}”", { who: by.who, words });
    }
    case "settled.approved":
      if (by === undefined) return t("approved");
      return by.isMe ? t("approved by you") : t("approved by {who}", { who: by.who });
    case "settled.approved_in_part":
      if (by === undefined) return t("approved in part");
      return by.isMe ? t("approved in part by you") : t("approved in part by {who}", { who: by.who });
    default:
      return null;
  }
}

function withChanges(decided: string, { n, fields }: JsonObject): string {
  if (typeof n === "number") return t("{decided}, with {n} values changed", { decided, n });
  const [one = "", other] = (Array.isArray(fields) ? fields : []).map(String);
  return other === undefined
    ? t("{decided}, with {what} changed", { decided, what: one })
    : t("{decided}, with {one} and {other} changed", { decided, one, other });
}

/** Return in a word how an interaction was decided. */
export function decidedAs({ card, status, payload }: Pick<Interaction, "card" | "status" | "payload">): string {
  if (status === "completed" && isNotice({ payload })) return t("seen");
  if (card === "hold") return heldWords(stood(status));
  return status === "completed" && asksForYes(card) ? t("approved") : statusWords(status);
}

/** Whether the yes that was held has stood. */
function stood(status: CardStatus): boolean {
  return status === "completed" || status === "expired";
}

function heldWords(stands: boolean): string {
  return stands ? t("not taken back") : t("taken back");
}

export function statusWords(status: CardStatus): string {
  switch (status) {
    case "completed":
      return t("completed");
    case "rejected":
      return t("rejected");
    case "dismissed":
      return t("skipped");
    case "expired":
      return t("expired");
    case "cancelled":
      return t("cancelled");
    case "superseded":
      return t("replaced");
    default:
      return status;
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
