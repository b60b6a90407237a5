// Technical details: the digest, the tool, ids. Collapsed, since they are not what is being decided.
import { t } from "@sayso/core";
import { useContext } from "react";
import { CardTitle } from "../naming.ts";
import type { JsonObject } from "../wire.ts";
import { Values } from "./Values.tsx";

export function Details({ values, open }: { values: JsonObject; open?: boolean }) {
  const title = useContext(CardTitle);
  if (Object.keys(values).length === 0) return null;
  return (
    <details className="sy-details" {...(open === true ? { open } : {})}>
      <summary aria-label={`${t("Details")}: ${title}`}>{t("Details")}</summary>
      <Values values={values} />
    </details>
  );
}
