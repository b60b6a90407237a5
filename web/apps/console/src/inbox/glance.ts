// What a row shows of a card, and whether that is all there is to it: only then can it be answered from the row.
import { cardBodyOf, cardMetaOf, type Interaction, type JsonObject, type JsonValue, sentenceWords, t } from "@sayso/core";
import { groupsOf, labelOf, plain } from "@sayso/cards";

export interface Glance {
  parts: readonly string[];
  /** Nothing of the proposal is hidden, cut, or needs a second look. */
  isWhole: boolean;
}

/** What two lines of a row hold. */
const MOST_VALUES = 6;
const MOST_LETTERS = 220;
/** Of what is opened anyway, a taste. */
const TASTE_PARTS = 4;
const TASTE_LETTERS = 140;

export function glanceOf(interaction: Interaction): Glance {
  const body = cardBodyOf(interaction.payload);
  switch (body.kind) {
    case "approval": {
      const card = body.fields;
      const values = groupsOf(card).flatMap((group) => Object.entries(group.values));
      const lead = leadOf(interaction, card.message ?? card.agent_message);
      const asksMore =
        (card.warnings ?? []).length > 0 ||
        (card.changes ?? []).length > 0 ||
        card.final_confirmation === true ||
        card.agent_acts === true ||
        card.may_be_remembered === true ||
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
      return taste([
        t("{n, plural, one {# row} other {# rows}}", { n: rows.length }),
        ...(warned > 0 ? [t("{n, plural, one {# row has a warning} other {# rows have warnings}}", { n: warned })] : []),
      ]);
    }
    case "options": {
      const labels = (body.fields.options ?? []).map(({ label }) => label);
      const question = body.fields.question === interaction.title ? [] : [body.fields.question];
      return taste(labels.length > 0 ? labels : question);
    }
    case "form": {
      const properties = body.fields.response_schema["properties"];
      return taste(Object.entries(isObject(properties) ? properties : {}).map(([name, field]) => titleOf(field) ?? labelOf(name)));
    }
    default: {
      const said = interaction.payload["agent_message"];
      return taste(typeof said === "string" && said !== interaction.title ? [sentenceWords(said)] : []);
    }
  }
}

/** Everything that is being approved, whole, for a list of several. */
export function underApproval(interaction: Interaction): ReturnType<typeof groupsOf> {
  const body = cardBodyOf(interaction.payload);
  return body.kind === "approval" ? groupsOf(body.fields) : [];
}

function whole(
  sentences: readonly (string | null | undefined)[],
  values: readonly (readonly [string, JsonValue])[],
  isSimple: boolean,
): Glance {
  const said = sentences.filter((sentence) => sentence != null && sentence !== "") as string[];
  const parts = [...said, ...values.map(([name, value]) => `${labelOf(name)} ${plain(value)}`)];
  const fits =
    isSimple &&
    values.length <= MOST_VALUES &&
    values.every(([, value]) => value === null || typeof value !== "object") &&
    parts.join("").length <= MOST_LETTERS &&
    !parts.some((part) => part.includes("\n"));
  return fits ? { parts, isWhole: true } : taste(parts);
}

/** As many parts as have room, each whole: half a sentence can say the opposite. Only a first one that is too long is cut. */
function taste(parts: readonly string[]): Glance {
  const shown: string[] = [];
  let room = TASTE_LETTERS;
  for (const part of parts.slice(0, TASTE_PARTS)) {
    const letters = [...part].length;
    if (letters > room && shown.length > 0) break;
    shown.push(letters > TASTE_LETTERS ? `${part.slice(0, part.lastIndexOf(" ", TASTE_LETTERS) + 1 || TASTE_LETTERS).trimEnd()}…` : part);
    room -= letters;
  }
  return { parts: shown, isWhole: false };
}

/** What heads the card, where it says more than the title. */
function leadOf(interaction: Interaction, lead: string | null | undefined): string {
  const said = (lead ?? "").trim();
  return said === interaction.title.trim() ? "" : said;
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
