// Describes where a value came from: a quote of the person, or how else it was given.
import { messageText, t } from "@sayso/core";

interface Origin {
  source: string;
  source_code?: string | null;
  quote: string;
  /** The agent's words that the person agreed to, if it had offered the value. */
  offered?: string;
  assumed: boolean;
}

export function originWords({ source, source_code, quote, offered = "", assumed }: Origin): string {
  if (assumed) return t("assumed, not said");
  if (offered !== "") return t("offered as “{offered}”, accepted by your “{quote}”", { offered, quote });
  if (quote !== "") return t("from your message: “{quote}”", { quote });
  return messageText({ code: source_code ?? null }, source);
}
