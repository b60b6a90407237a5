// What is known for each action (seed 3), as a chat's view has it; `sayso.gate.wording.panel` writes it.
import { language, t } from "./text.ts";
import type { JsonObject, JsonValue } from "./wire/types.ts";

export interface RequirementField {
  field: string;
  /** Actions that need the same thing share the slot. */
  slot: string;
  label: string;
  question: string;
  why: string;
  optional: boolean;
  known: boolean;
  /** A default that nobody has spoken about. */
  assumed: boolean;
  value: JsonValue;
  text: string;
  source: string;
  quote: string;
  /** The agent's words that the quote took up, where the agent had offered the value. */
  offered?: string;
  /** What nobody's words support: shown, never counted. */
  suggested: string | null;
  suggested_value?: JsonValue;
  /** Whether the last words asked for it. */
  asked?: boolean;
  schema: JsonObject;
  choices: string[];
}

export interface ActionRequirements {
  name: string;
  title: string;
  known: number;
  of: number;
  /** It was asked for in this chat, and has not run since. */
  requested: boolean;
  /** The fields that it cannot do without and that nobody has given. */
  missing: RequirementField[];
  fields: RequirementField[];
}

export function actionsOf(requirements: JsonObject | null | undefined): ActionRequirements[] {
  const details = objectAt(requirements, "requirements_detail");
  const status = objectAt(requirements, "requirements_status");
  return Object.entries(details).map(([name, detail]) => {
    const action = detail as unknown as ActionRequirements;
    const missing = objectAt(status, name)["missing"];
    // Seed 3 counts a default among what is missing, as long as anything else is.
    const isMissing = ({ field, assumed }: RequirementField) => !assumed && Array.isArray(missing) && missing.includes(field);
    return { ...action, name, missing: action.fields.filter(isMissing) };
  });
}

function objectAt(of: JsonObject | null | undefined, key: string): JsonObject {
  const found = of?.[key];
  return typeof found === "object" && found !== null && !Array.isArray(found) ? found : {};
}

/** Seed 3's last line: ready to create, or what to add. */
export function lineOf({ title, missing }: ActionRequirements): string {
  const name = title.toLowerCase();
  if (missing.length === 0) return t("Ready to create the {name}", { name });
  const what = new Intl.ListFormat(language()).format(missing.map(({ label }) => label.toLowerCase()));
  return t("Ready to create {name}? Add {what}", { name, what });
}

/** What the chat is about: the actions asked for, else the one of which most was said. */
export function concernedOf(actions: readonly ActionRequirements[]): ActionRequirements[] {
  const requested = actions.filter((action) => action.requested);
  if (requested.length > 0) return requested;
  const said = (action: ActionRequirements) => action.fields.filter((field) => field.known).length;
  const most = Math.max(0, ...actions.map(said));
  return actions.filter((action) => said(action) === most).slice(0, 1);
}

/** The open questions of the last words that have choices to press, each once. */
export function askedChoices(actions: readonly ActionRequirements[]): RequirementField[] {
  const fields = actions.flatMap((action) => action.fields);
  const asked = fields.filter((field) => field.asked === true && !field.known && field.choices.length > 0);
  const bySlot = [...new Map(asked.map((field) => [field.slot, field])).values()];
  // A word that answers two of the questions answers neither.
  return bySlot.filter((one) => !bySlot.some((other) => other !== one && other.choices.some((word) => one.choices.includes(word))));
}
