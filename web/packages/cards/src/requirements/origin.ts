// Where a value came from, in words: what the person said, by their own quote, or how else it was given.
import { t } from "@sayso/core";

interface Origin {
  source: string;
  quote: string;
  /** The agent's words that the person took up, where it had offered the value. */
  offered?: string;
  assumed: boolean;
}

export function originWords({ source, quote, offered = "", assumed }: Origin): string {
  if (assumed) return t("assumed, as nobody has said it");
  if (offered !== "") return t("offered as “{offered}”, accepted by your “{quote}”", { offered, quote });
  if (quote !== "") return t("from your message: “{quote}”", { quote });
  return sourceWords(source);
}

/** The sources are those of `sayso.gate.wording`; one that a newer server adds stays as it says it. */
function sourceWords(source: string): string {
  switch (source) {
    case "from your message":
      return t("from your message");
    case "chosen by you":
      return t("chosen by you");
    case "entered by you":
      return t("entered by you");
    case "from where you are":
      return t("from where you are");
    default:
      return source;
  }
}
