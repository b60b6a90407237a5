// A notice: glyph and label say its kind; the colour only repeats it.
import { t } from "@sayso/core";
import type { ReactNode } from "react";

interface Props {
  tone: "warn" | "bad" | "calm";
  word: string;
  children: ReactNode;
}

const GLYPH = { warn: "▲", bad: "✕", calm: "●" } as const;

export function Notice({ tone, word, children }: Props) {
  return (
    <div className="sy-notice" data-tone={tone}>
      <span className="sy-glyph" aria-hidden="true">{GLYPH[tone]}</span>
      <div><b>{t("{label}:", { label: word })}</b> <bdi>{children}</bdi></div>
    </div>
  );
}

/** The impact of an approval and its warnings. */
export function Warnings({ impact, warnings = [] }: { impact?: string | null | undefined; warnings?: string[] | undefined }) {
  return (
    <>
      {impact != null && impact !== "" && <Notice tone="warn" word={t("Impact")}>{impact}</Notice>}
      {warnings.map((warning, i) => (
        <Notice key={i} tone="warn" word={t("Warning")}>{warning}</Notice>
      ))}
    </>
  );
}
