// What a rule does with the calls that it speaks of.
import { type NewRule, t } from "@sayso/core";

export function verdictWords(then: NewRule["then"]): string {
  switch (then) {
    case "allow":
      return t("run without asking");
    case "deny":
      return t("are refused");
    case "ask":
      return t("always ask");
  }
}
