// The rules that people write from cards: their routes, and what each does with a call.
import { type JsonObject, type NewRule, type StandingRule, t, type Trial } from "@sayso/core";
import { api } from "../browser.ts";

const PATH = "/api/rules";

/** What it would have done with what people decided; nothing is written. */
export const tryRule = async (rule: NewRule) => (await api.call("POST", `${PATH}/trial`, rule as unknown as JsonObject)) as unknown as Trial;

export const writeRule = (rule: NewRule) => api.call("POST", PATH, rule as unknown as JsonObject);

/** All of them, also those that hold no longer. */
export const allRules = async () => ((await api.call("GET", PATH)) as unknown as { rules: StandingRule[] }).rules;

export const revokeRule = (id: string) => api.call("DELETE", `${PATH}/${encodeURIComponent(id)}`);

export function verdictWords(then: NewRule["then"]): string {
  switch (then) {
    case "allow":
      return t("run without asking");
    case "deny":
      return t("are denied");
    case "ask":
      return t("always ask");
  }
}
