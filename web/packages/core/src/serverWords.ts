// What the server says in English, said by the page: problems by their code, a card's title by its kind, the rest as it is.
// It comes with a language that is not the server's own; tests/public/test_words_of_the_page.py holds it to the server.
import { language, t } from "./text.ts";
import type { CardKind, JsonObject, JsonValue } from "./wire/types.ts";

export interface ProblemWords {
  title: string;
  detail: string;
  /** The server's own sentence names what is not to be guessed, so it follows. */
  andTheServers?: boolean;
}

export function problemIn(code: string): ProblemWords | null {
  switch (code) {
    case "not_found":
      return { title: t("Not found"), detail: t("It is not there, or it belongs to somebody else.") };
    case "invalid_input":
      return { title: t("This could not be taken"), detail: t("Look at what you entered, and correct it."), andTheServers: true };
    case "answer_invalid":
      return { title: t("The answer does not fit the card"), detail: t("Look at what you entered, and correct it.") };
    case "answer_alone":
      return { title: t("This needs an answer of its own"), detail: t("Open it, and answer it alone.") };
    case "stale_digest":
      return { title: t("The proposal has changed"), detail: t("Look at the new one before you answer.") };
    case "already_settled":
      return { title: t("Already settled"), detail: t("Somebody answered first, or the time was over. Nothing was changed by you.") };
    case "version_conflict":
      return { title: t("Someone changed it first"), detail: t("Look at what is there now, then decide whose version stays.") };
    case "grant_void":
      return { title: t("The leave to run it no longer holds"), detail: t("A value was changed, or it was used already. Ask for the action again.") };
    case "forbidden":
      return { title: t("Not allowed"), detail: t("This needs another role or another person.") };
    case "not_signed_in":
      return { title: t("Who are you?"), detail: t("Sign in to go on.") };
    case "rate_limited":
      return { title: t("Too many requests"), detail: t("Wait a moment, then try again.") };
    case "store_busy":
      return { title: t("The database is busy"), detail: t("Wait a moment, then try again.") };
    case "lease_lost":
      return { title: t("Another worker has taken the run over"), detail: t("Wait a moment, then try again.") };
    case "store_read_only":
      return { title: t("The database cannot be written"), detail: t("Nothing was changed. Tell whoever runs this server."), andTheServers: true };
    case "too_large":
      return { title: t("Too large"), detail: t("Send less at once.") };
    case "too_deep":
      return { title: t("Nested too deeply"), detail: t("Nothing of it was kept. Send it with fewer levels."), andTheServers: true };
    case "not_supported":
      return { title: t("Not supported"), detail: t("This agent or this server cannot do it."), andTheServers: true };
    case "tool_unavailable":
      return { title: t("The tool could not be reached"), detail: t("Nothing was done. Check that its server runs, then retry."), andTheServers: true };
    case "agent_failed":
      return { title: t("The agent stopped with an error"), detail: t("Read the error, mend the agent, and send the message again."), andTheServers: true };
    case "agent_stuck":
      return { title: t("The agent never gave control back"), detail: t("Whoever wrote the agent has to mend it."), andTheServers: true };
    case "replay_diverged":
      return {
        title: t("The agent's code changed while it waited"),
        detail: t("Restore the earlier code to finish this run, or cancel it and send the message again."),
        andTheServers: true,
      };
    case "state_unreadable":
      return { title: t("The saved state cannot be read by this version"), detail: t("Send the message again."), andTheServers: true };
    case "tool_missing":
      return { title: t("A tool that this run needs is not there"), detail: t("Whoever wrote the agent has to give it this tool again."), andTheServers: true };
    case "person_needed":
      return { title: t("A person is needed, and this mode cannot wait for one"), detail: t("Send it in a mode that can wait."), andTheServers: true };
    case "internal":
      return { title: t("Something went wrong here"), detail: t("The server met an error it did not expect; nothing more was done. Try again.") };
    case "not_acceptable":
      return { title: t("Not in this form"), detail: t("It cannot be had in this form."), andTheServers: true };
    case "malformed_request":
    case "malformed_json":
    case "unknown_route":
    case "method_not_allowed":
    case "unsupported_media_type":
    case "idempotency_key_reused":
    case "message_id_reused":
    case "task_id_reused":
      return { title: t("The server did not understand this page"), detail: t("Reload it; what you wrote is kept."), andTheServers: true };
    default:
      return null;
  }
}

/** The titles that the server makes itself: of the gate's card, an unclear effect, a report and a run that failed. */
export function titleIn(card: CardKind, title: string): string {
  switch (card) {
    case "requirements":
      return among(title, /^Create (the .+)\?$/, (names) => t("Create {names}?", { names: listed(names) }));
    case "uncertain_effect":
      return among(title, /^Did (.+) run\?$/, (tool) => t("Did {tool} run?", { tool }));
    case "validation": {
      const valid = among(title, /^(.+) is valid$/, (name) => t("{name} is valid", { name: named(name) }));
      return among(valid, /^(.+) is not valid$/, (name) => t("{name} is not valid", { name: named(name) }));
    }
    case "critical_failure":
      return sentenceIn(title);
    default:
      return title;
  }
}

/** Why something ended, where nobody gave a reason, and what heads the server's own cards. Anybody else's words stay. */
export function sentenceIn(said: string): string {
  switch (said) {
    case "Started over.":
      return t("Started over.");
    case "Nobody answered in time.":
      return t("Nobody answered in time.");
    case "A new message superseded it.":
      return t("A new message superseded it.");
    case "The result came after all.":
      return t("The result came after all.");
    case "The person did not approve this.":
      return t("The person did not approve this.");
    case "The policy does not allow this call.":
      return t("The policy does not allow this call.");
    case "It was stopped while it ran; it is not known how far it came.":
      return t("It was stopped while it ran; it is not known how far it came.");
    case "It is not known whether this ran; a person chose to skip it.":
      return t("It is not known whether this ran; a person chose to skip it.");
    case "Check what it is made from. Every value can be changed.":
      return t("Check what it is made from. Every value can be changed.");
    case "The agent stopped with an error":
      return t("The agent stopped with an error");
    case "Read the error, mend the agent, and send the message again.":
      return t("Read the error, mend the agent, and send the message again.");
    default: {
      const begun = among(said, /^(.+) was approved and may already have run when it was interrupted\.$/, (tool) =>
        t("{tool} was approved and may already have run when it was interrupted.", { tool }),
      );
      const started = among(begun, /^(.+) was started and may already have run when it was interrupted\.$/, (tool) =>
        t("{tool} was started and may already have run when it was interrupted.", { tool }),
      );
      return among(started, /^create (the .+)$/i, (names) => t("Create {names}", { names: listed(names) }));
    }
  }
}

const MINUTES = { week: 10_080, day: 1440, hour: 60, minute: 1 };
const DURATION = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/;

/** What the gate says in a chat where no agent speaks, a paragraph at a time; the questions are the application's own. */
export function replyIn(said: string): string {
  return said.split("\n\n").map(paragraphIn).join("\n\n");
}

function paragraphIn(said: string): string {
  if (said === "I can help with that. Tell me more about what you need.") {
    return t("I can help with that. Tell me more about what you need.");
  }
  const [, known, phrase] = /^I have all the information needed for (your .+)\. Just say '(.+)' when you are ready\.$/.exec(said) ?? [];
  if (known !== undefined && phrase !== undefined) {
    return t("I have all the information needed for {names}. Just say “{phrase}” when you are ready.", { names: listed(known), phrase });
  }
  const asked = among(said, /^I need a few more details: (.+)$/, (questions) => t("I need a few more details: {questions}", { questions }));
  const refused = among(asked, /^All right, I have not created the (.+)\.$/, (name) => t("All right, I have not created the {name}.", { name }));
  const granted = among(refused, /^The (.+) may go ahead\.$/, (name) => t("The {name} may go ahead.", { name }));
  return among(granted, /^Here is your (.+)\.$/, (name) => t("Here is your {name}.", { name }));
}

/** A value as the reader would say it; `text` is the server's. What a person or an application said stays so. */
export function valueIn(text: string, value: JsonValue | undefined, schema: JsonValue | undefined): string {
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (text === "none" && (value === null || (Array.isArray(value) && value.length === 0))) return t("none");
  const isDuration = (schema as JsonObject | undefined)?.["format"] === "duration";
  return (isDuration && typeof value === "string" ? durationWords(value) : undefined) ?? text;
}

/** In the largest unit that counts it whole, as the server does. */
function durationWords(value: string): string | undefined {
  const [, ...counts] = DURATION.exec(value) ?? [];
  const minutes = Object.values(MINUTES).reduce((sum, length, at) => sum + Number(counts[at] ?? 0) * length, 0);
  if (minutes === 0) return undefined;
  const counted = (length: number) => (minutes % length === 0 ? minutes / length : 0);
  const { week, day, hour } = MINUTES;
  if (counted(week) > 0) return t("{n, plural, one {# week} other {# weeks}}", { n: counted(week) });
  if (counted(day) > 0) return t("{n, plural, one {# day} other {# days}}", { n: counted(day) });
  if (counted(hour) > 0) return t("{n, plural, one {# hour} other {# hours}}", { n: counted(hour) });
  return t("{n, plural, one {# minute} other {# minutes}}", { n: minutes });
}

function among(said: string, form: RegExp, words: (part: string) => string): string {
  const [, part] = form.exec(said) ?? [];
  return part === undefined ? said : words(part);
}

const named = (name: string) => (name === "the data" ? t("the data") : name);

/** "the checklist and the itinerary": what an application calls its actions stays as it is. */
function listed(names: string): string {
  const each = names.split(/(?:, | and )(?=the |your )/).map((name) => name.replace(/^(?:the|your) /, ""));
  return new Intl.ListFormat(language()).format(each);
}
