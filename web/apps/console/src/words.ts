// Texts that several places of the console share.
import { labelOf } from "@sayso/cards";
import { t } from "@sayso/core";

export const needsAnswer = (title: string) => t("Needs your answer: {title}", { title });

/** Announces what is new: a card that waits, or what was approved and can still be taken back. */
export const newsOf = (title: string, isHeld: boolean) =>
  isHeld ? t("{title} runs in a moment, unless you undo it", { title }) : needsAnswer(title);

export const waitingFor = (n: number) =>
  t("{n, plural, one {# card waits} other {# cards wait}} for your answer", { n });

/** Announces how many rows a filter shows. */
export const shownWords = (n: number) =>
  n === 0 ? t("Nothing matches this filter") : t("{n, plural, one {# is shown} other {# are shown}}", { n });

export const unknownProblem = () =>
  t("Something went wrong on this page. Reload it; nothing you sent is lost.");

/** The agent of every ask from outside; core/asks.py has it. */
export const ASK_AGENT = "sayso:ask";

/** An agent by its name; one that is an identifier reads as words. */
export const agentName = (name: string) => (/^[a-z0-9]+(_[a-z0-9]+)+$/.test(name) ? labelOf(name) : name) || t("An agent");

/** Return the plural name of a kind of card. */
export function kindWords(kind: string): string {
  switch (kind) {
    case "approval":
      return t("Approvals");
    case "exchanges":
      return t("Tables");
    case "options":
      return t("Questions");
    case "form":
      return t("Forms");
    case "confirmation":
      return t("Confirmations");
    case "uncertain_effect":
      return t("Unclear effects");
    default:
      return t("Others");
  }
}

export function runWords(status: string): string {
  switch (status) {
    case "ready":
      return t("Starting…");
    case "running":
      return t("Working…");
    case "waiting":
      return t("Waits for you");
    case "completed":
      return t("Done");
    case "failed":
      return t("Stopped with an error");
    case "cancelled":
      return t("Stopped");
    default:
      return status;
  }
}
