// How a message's card is read: the fields of its payload, what it asks for, and how it stands.
import { sentenceWords, titleWords } from "./said.ts";
import { t } from "./text.ts";
import type { Interaction } from "./wire/rest.ts";
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

/** `shown` is a card that asks for nothing. */
export type CardStatus = InteractionState | "shown";

/** Seed 2's `metadata.ui_tool`. */
export interface UiTool {
  ui_tool_id: string;
  event_id: string;
  display: Display;
  ui_tool_completed: boolean;
  ui_tool_status: CardStatus;
  payload: JsonObject;
  timestamp: string;
  response_summary?: string;
  completed_at?: string;
  completed_by?: string;
  ui_tool_dismissed?: boolean;
}

/** A card's fields with the kind that says which they are. */
export type CardBody = { [K in CardKind]: { kind: K; fields: CardFields[K] } }[CardKind];

/** The card of a message, or null when it is plain text. */
export function uiToolOf(message: Pick<MessageItem, "metadata">): UiTool | null {
  const tool = message.metadata["ui_tool"];
  return isObject(tool) ? (tool as unknown as UiTool) : null;
}

export function isPending(message: Pick<MessageItem, "metadata">): boolean {
  return uiToolOf(message)?.ui_tool_status === "pending";
}

/** How a card is to be answered. A payload without `sayso` is an application's own, and asks for nothing. */
export function cardMetaOf(payload: JsonObject): CardMeta {
  const own = payload["sayso"];
  const known = isObject(own) ? (own as unknown as Partial<CardMeta>) : {};
  return { card: "ui_tool", revision: 1, assignees: [], ...known };
}

export function cardBodyOf(payload: JsonObject): CardBody {
  const { sayso: _, ...fields } = payload;
  // The server has made the fields from the very model that the kind names.
  return { kind: cardMetaOf(payload).card, fields } as unknown as CardBody;
}

/** An interaction of the inbox as the message that draws its card in a chat. */
export function messageOf(interaction: Interaction): MessageItem {
  const settled = interaction.status !== "pending";
  const { interaction_id: event_id, response, settled_at, settled_by } = interaction;
  const name = interaction.card === "ui_tool" ? interaction.ui_tool_id : interaction.title;
  const words = `${name} ${interaction.status}`;
  const reason = interaction.status === "rejected" ? response?.user_message : null;
  const ui_tool: JsonObject = {
    ui_tool_id: interaction.ui_tool_id,
    event_id,
    display: interaction.display,
    ui_tool_completed: settled,
    ui_tool_status: interaction.status,
    payload: interaction.payload,
    timestamp: interaction.created_at,
    ...(settled ? { response_summary: reason ? `${words}: ${reason}` : words } : {}),
    ...(settled_at ? { completed_at: settled_at } : {}),
    ...(settled_by ? { completed_by: settled_by } : {}),
    ...(interaction.status === "dismissed" ? { ui_tool_dismissed: true } : {}),
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

/** What a card is called: its title, else its tool. */
export function cardTitleOf(tool: UiTool): string {
  return titleWords(cardMetaOf(tool.payload).card, storedTitle(tool));
}

/** What an interaction is called, in a list or in the history. */
export function titleOf({ card, title }: Pick<Interaction, "card" | "title">): string {
  return titleWords(card, title);
}

function storedTitle({ payload, ui_tool_id }: UiTool): string {
  const title = payload["title"];
  return typeof title === "string" && title !== "" ? title : ui_tool_id;
}

export interface Ending {
  /** An application's own card goes by its ui_tool_id. */
  name: string;
  words: string;
}

/** What follows the glyph of a settled card: the server's summary, said in the reader's language. */
export function endingOf(tool: UiTool): Ending {
  const { card } = cardMetaOf(tool.payload);
  const name = card === "ui_tool" ? tool.ui_tool_id : storedTitle(tool);
  const summary = tool.response_summary ?? "";
  const said = summary.startsWith(name) ? summary.slice(name.length).trim() : summary;
  return { name: titleWords(card, name), words: endingWords(tool.ui_tool_status, said) };
}

/** The forms are those of `settled_summary` (core/decisions.py). */
function endingWords(status: CardStatus, said: string): string {
  const why = /^rejected: (.+)$/s.exec(said)?.[1];
  if (why !== undefined) return t("rejected: {why}", { why: sentenceWords(why) });
  if (said === "superseded: tried again") return t("tried again");
  const remembered = /^(.*), from now on without asking in this chat$/s.exec(said)?.[1];
  if (remembered !== undefined) {
    return t("{ended}, from now on without asking in this chat", { ended: endingWords(status, remembered) });
  }
  const what = /^completed, with (.+) changed$/.exec(said)?.[1];
  if (what !== undefined) {
    const n = Number(/^(\d+) values$/.exec(what)?.[1]);
    if (n > 0) return t("completed, with {n} values changed", { n });
    const [, one, other] = /^(.+?) and (.+)$/.exec(what) ?? [];
    return one === undefined || other === undefined
      ? t("completed, with {what} changed", { what })
      : t("completed, with {one} and {other} changed", { one, other });
  }
  return said === "" || said === status ? statusWords(status) : said;
}

export function statusWords(status: CardStatus): string {
  switch (status) {
    case "completed":
      return t("completed");
    case "rejected":
      return t("rejected");
    case "dismissed":
      return t("dismissed");
    case "expired":
      return t("expired");
    case "cancelled":
      return t("cancelled");
    case "superseded":
      return t("superseded");
    default:
      return status;
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
