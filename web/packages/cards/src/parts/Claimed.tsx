// Who asks from outside, as it says itself: claimed, never known.
import { t } from "@sayso/core";
import type { CardMeta } from "../wire.ts";
import { exact } from "../words.ts";

export function Claimed({ asker }: { asker: NonNullable<CardMeta["asker"]> }) {
  const { client, session, folder, host } = asker;
  const where = [folder, host, session].filter((part) => part !== "");
  const who = client === "" ? t("Asked from outside, by someone who does not say who it is") : t("Asked from outside. It says it is {client}", { client });
  return (
    <p className="sy-note">
      <bdi>{exact([who, ...where].join(" · "))}</bdi>
    </p>
  );
}
