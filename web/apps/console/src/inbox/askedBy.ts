// Who asks: an agent here, or from outside what says it is one, with its session, and whether it still waits.
import { cardMetaOf, type Interaction, t } from "@sayso/core";
import { agentName } from "../words.ts";

export function askedBy(interaction: Interaction): string {
  return fromOutside(interaction, "under its session") ?? agentName(interaction.agent_name);
}

/** Null for what an agent here asks. Its session is not named again where it stands above. */
export function fromOutside(interaction: Interaction, where: "alone" | "under its session" = "alone"): string | null {
  const asker = cardMetaOf(interaction.payload).asker;
  if (asker == null) return null;
  const who = asker.client === "" ? t("from outside") : t("from outside, says it is {client}", { client: asker.client });
  const gone = interaction.asker_waits === false ? t("nobody waits for the answer now") : "";
  return [who, where === "alone" ? asker.session : "", gone].filter((part) => part !== "").join(" · ");
}
