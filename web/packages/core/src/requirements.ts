// What is known for each action (the requirements status contract), as a chat's view has it; `sayso.gate.messages.panel` writes it.
import { type Coded, messageText } from "./messages.ts";
import type { JsonObject, JsonValue } from "./wire/types.ts";

/** `code` and `params` say its text. */
export interface RequirementField extends Coded {
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
  source_code?: string | null;
  quote: string;
  /** The agent's words that the quote refers to, if the agent had offered the value. */
  offered?: string;
  /** A value that nothing the person said supports: shown, never counted. */
  suggested: string | null;
  suggested_value?: JsonValue;
  suggested_said?: Coded | null;
  /** Whether the last words asked for it. */
  asked?: boolean;
  schema: JsonObject;
  choices: string[];
}

/** `code` and `params` say its line. */
export interface ActionRequirements extends Coded {
  name: string;
  title: string;
  /** Ready, or what to add. */
  line: string;
  known: number;
  of: number;
  /** It was requested in this chat and has not run since. */
  requested: boolean;
  /** The required fields that nobody has filled. */
  missing: RequirementField[];
  fields: RequirementField[];
}

export function actionsOf(requirements: JsonObject | null | undefined): ActionRequirements[] {
  const details = objectAt(requirements, "requirements_detail");
  const status = objectAt(requirements, "requirements_status");
  return Object.entries(details).map(([name, detail]) => {
    const action = detail as unknown as ActionRequirements;
    const missing = objectAt(status, name)["missing"];
    // A default counts as missing for as long as anything else is.
    const isMissing = ({ field, assumed }: RequirementField) => !assumed && Array.isArray(missing) && missing.includes(field);
    return { ...action, name, missing: action.fields.filter(isMissing) };
  });
}

function objectAt(of: JsonObject | null | undefined, key: string): JsonObject {
  const found = of?.[key];
  return typeof found === "object" && found !== null && !Array.isArray(found) ? found : {};
}

/** The line under its list: ready, or what to add. */
export function lineOf(action: ActionRequirements): string {
  return messageText(action, action.line);
}

/** Return what the chat is about: the requested actions, else the one most is known for. */
export function concernedOf(actions: readonly ActionRequirements[]): ActionRequirements[] {
  const requested = actions.filter((action) => action.requested);
  if (requested.length > 0) return requested;
  const said = (action: ActionRequirements) => action.fields.filter((field) => field.known).length;
  const most = Math.max(0, ...actions.map(said));
  return actions.filter((action) => said(action) === most).slice(0, 1);
}

/** Return the open questions of the last message that have choices to press, each once. */
export function askedChoices(actions: readonly ActionRequirements[]): RequirementField[] {
  const fields = actions.flatMap((action) => action.fields);
  const asked = fields.filter((field) => field.asked === true && !field.known && field.choices.length > 0);
  const bySlot = [...new Map(asked.map((field) => [field.slot, field])).values()];
  // A choice that would answer two of the questions answers neither.
  return bySlot.filter((one) => !bySlot.some((other) => other !== one && other.choices.some((word) => one.choices.includes(word))));
}
