// Copy, link, export and print of one card.
import { type Interaction, t } from "@sayso/core";
import { plain } from "@sayso/cards";
import { addressOf } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { pathTo } from "../router.tsx";
import { valuesUnderApproval } from "./summary.ts";

export function Share({ interaction }: { interaction: Interaction }) {
  const id = interaction.interaction_id;
  const copy = (text: string) =>
    void navigator.clipboard.writeText(text).then(
      () => announce(t("Copied")),
      () => announce(t("This browser does not allow copying."), "assertive"),
    );
  return (
    <span className="in-ways" role="group" aria-label={t("Copy and export")}>
      <button type="button" className="button" onClick={() => copy(asText(interaction))}>
        {t("Copy as text")}
      </button>
      <button type="button" className="button" onClick={() => copy(new URL(pathTo.interaction(id), location.href).href)}>
        {t("Copy the link")}
      </button>
      <a className="button" href={addressOf(`/api/interactions/${encodeURIComponent(id)}/export`)} download>
        {t("Export as signed JSON")}
      </a>
      <button type="button" className="button" onClick={() => print()}>
        {t("Print")}
      </button>
    </span>
  );
}

/** The title, and under it each value in a line. */
function asText(interaction: Interaction): string {
  const values = valuesUnderApproval(interaction).flatMap(({ values }) => Object.entries(values));
  return [interaction.title, ...values.map(([name, value]) => `${name}: ${plain(value)}`)].join("\n");
}
