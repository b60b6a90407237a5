// A validation report: the verdict, counts, findings and next steps. It asks nothing.
import { t } from "@sayso/core";
import type { CardProps } from "../card.ts";
import { Details } from "../parts/Details.tsx";
import { Frame } from "../parts/Frame.tsx";
import type { JsonObject, ValidationPayload } from "../wire.ts";
import { labelOf, plain } from "../words.ts";

export function ValidationCard(card: CardProps<ValidationPayload>) {
  const { payload } = card;
  const errors = payload.validation_errors ?? [];
  const warnings = payload.validation_warnings ?? [];
  const counts = Object.entries(payload.exchange_summary ?? {});
  const steps = payload.next_steps ?? [];
  return (
    <Frame card={card} title={payload.title} lead={payload.agent_message} tone={payload.is_valid ? "calm" : "bad"}>
      <p className="sy-verdict" data-tone={payload.is_valid ? "ok" : "bad"}>
        <span className="sy-sign" aria-hidden="true">{payload.is_valid ? "✅" : "❌"}</span>{" "}
        <b>{payload.is_valid ? t("Valid") : t("Not valid")}</b>
        <span className="sy-quiet">
          {" "}
          {t("{errors, plural, one {# error} other {# errors}}, {warnings, plural, one {# warning} other {# warnings}}", {
            errors: errors.length,
            warnings: warnings.length,
          })}
        </span>
      </p>
      <Findings heading={t("Errors")} tone="bad" glyph="✕" items={errors} />
      <Findings heading={t("Warnings")} tone="warn" glyph="▲" items={warnings} />
      {counts.length > 0 && (
        <div className="sy-body">
          <table className="sy-counts">
            <caption>{t("Totals")}</caption>
            <tbody>
              {counts.map(([key, value]) => (
                <tr key={key}>
                  <th scope="row">{labelOf(key)}</th>
                  <td>{plain(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {steps.length > 0 && (
        <div className="sy-body">
          <h4>{t("Next steps")}</h4>
          <p className="sy-help">{t("Select one to use as your message.")}</p>
          <ul className="sy-steps">
            {steps.map((step, i) => (
              <li key={i}>
                <button type="button" className="sy-step-button" onClick={() => card.compose(step)}>{step}</button>
              </li>
            ))}
          </ul>
        </div>
      )}
      <Details values={others(payload)} />
    </Frame>
  );
}

function Findings({ heading, tone, glyph, items }: { heading: string; tone: "warn" | "bad"; glyph: string; items: string[] }) {
  if (items.length === 0) return null;
  return (
    <div className="sy-body">
      <h4>{heading}</h4>
      <ul className="sy-findings" data-tone={tone}>
        {items.map((item, i) => (
          <li key={i}><span aria-hidden="true">{glyph}</span> <bdi>{item}</bdi></li>
        ))}
      </ul>
    </div>
  );
}

const SHOWN = new Set([
  ...["title", "agent_message", "status", "is_valid", "validation_errors", "validation_warnings"],
  ...["exchange_summary", "next_steps", "sayso"],
]);

/** Extra fields of the tool's report. */
function others(payload: ValidationPayload): JsonObject {
  return Object.fromEntries(
    Object.entries(payload as unknown as JsonObject).filter(([key]) => !SHOWN.has(key)),
  );
}
