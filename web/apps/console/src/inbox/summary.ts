// The summary of a card in an inbox row, and whether it is complete: only then can it be answered there.
import { cardBodyOf, cardMetaOf, type Interaction, type JsonObject, type JsonValue, partText, t } from "@sayso/core";
import { formatted, groupsOf, labelOf, plain } from "@sayso/cards";
import { excerpt } from "../excerpt.ts";

export interface Summary {
  parts: readonly string[];
  /** Nothing of the proposal is hidden, cut or needs attention. */
  isWhole: boolean;
}

/** What fits in two lines of a row. */
const MAX_VALUES = 6;
const MAX_LETTERS = 220;

export function summaryOf(interaction: Interaction): Summary {
  const body = cardBodyOf(interaction.payload);
  switch (body.kind) {
    case "approval": {
      const card = body.fields;
      const values = valuesUnderApproval(interaction).flatMap((group) => Object.entries(group.values));
      const lead = leadOf(interaction, card.message ?? card.agent_message);
      const asksMore =
        (card.warnings ?? []).length > 0 ||
        (card.changes ?? []).length > 0 ||
        card.final_confirmation === true ||
        card.agent_acts === true ||
        card.may_be_remembered === true ||
        card.not_bound != null ||
        (cardMetaOf(interaction.payload).revision ?? 1) > 1 ||
        !isPlainPair(card.approval_options);
      return whole([lead, card.impact], [...values, ...Object.entries(card.context ?? {})], !asksMore);
    }
    case "confirmation": {
      const card = body.fields;
      const details = (card.details ?? []).map(({ label, value }) => [label, value] as const);
      const lead = leadOf(interaction, card.message ?? card.agent_message);
      return whole([lead, card.impact], [...details, ...Object.entries(card.context ?? {})], isPlainPair(card.approval_options));
    }
    case "exchanges": {
      const rows = body.fields.rows ?? [];
      const warned = rows.filter((row) => (row.warnings ?? []).length > 0).length;
      return cut([
        t("{n, plural, one {# row} other {# rows}}", { n: rows.length }),
        ...(warned > 0 ? [t("{n, plural, one {# row has a warning} other {# rows have warnings}}", { n: warned })] : []),
      ]);
    }
    case "options": {
      const labels = (body.fields.options ?? []).map(({ label }) => label);
      const question = body.fields.question === interaction.title ? [] : [body.fields.question];
      return cut(labels.length > 0 ? labels : question);
    }
    case "form": {
      const properties = body.fields.response_schema["properties"];
      return cut(Object.entries(isObject(properties) ? properties : {}).map(([name, field]) => titleOf(field) ?? labelOf(name)));
    }
    default: {
      const message = interaction.payload["agent_message"];
      return cut(typeof message === "string" && message !== interaction.title ? [partText(cardMetaOf(interaction.payload), "agent_message", message)] : []);
    }
  }
}

/** Return everything under approval, in full, each value as its schema says. */
export function valuesUnderApproval({ payload }: Interaction): ReturnType<typeof groupsOf> {
  const body = cardBodyOf(payload);
  if (body.kind !== "approval") return [];
  const formats = cardMetaOf(payload).formats ?? {};
  const asItSays = ([name, value]: [string, JsonValue]) => [name, name in formats ? formatted(value, formats[name]) : value] as const;
  return groupsOf(body.fields).map((group) => ({ ...group, values: Object.fromEntries(Object.entries(group.values).map(asItSays)) }));
}

function whole(
  sentences: readonly (string | null | undefined)[],
  values: readonly (readonly [string, JsonValue])[],
  isSimple: boolean,
): Summary {
  const message = sentences.filter((sentence) => sentence != null && sentence !== "") as string[];
  const parts = [...message.map(asPart), ...values.map(([name, value]) => `${labelOf(name)} ${plain(value)}`)];
  const fits =
    isSimple &&
    values.length <= MAX_VALUES &&
    values.every(([, value]) => value === null || typeof value !== "object") &&
    parts.join("").length <= MAX_LETTERS &&
    !parts.some((part) => part.includes("\n"));
  return fits ? { parts, isWhole: true } : cut(parts);
}

/** A sentence among parts that dots divide ends in none. */
const asPart = (sentence: string) => sentence.replace(/(?<![.])[.。]$/, "");

/** Of a card that must be opened anyway. */
const cut = (parts: readonly string[]): Summary => ({ parts: excerpt(parts), isWhole: false });

/** Return the card's message, if it says more than the title. */
function leadOf(interaction: Interaction, lead: string | null | undefined): string {
  const message = (lead ?? "").trim();
  return message === interaction.title.trim() ? "" : message;
}

function isPlainPair(options: readonly string[] | undefined): boolean {
  return options === undefined || options.map((option) => option.toLowerCase()).join() === "approve,reject";
}

function titleOf(field: JsonValue | undefined): string | undefined {
  const title = isObject(field) ? field["title"] : undefined;
  return typeof title === "string" ? title : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
