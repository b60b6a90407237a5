// One thing to do. What stands between backticks is a command or a value: copied with one press, as it is shown.
import { t } from "@sayso/core";
import { useState } from "react";

export function Step({ text }: { text: string }) {
  return (
    <>
      {text.split(/`([^`\n]+)`/).map((part, i) => (i % 2 === 0 ? <bdi key={i}>{part}</bdi> : <Hint key={i} text={part} />))}
    </>
  );
}

function Hint({ text }: { text: string }) {
  const [told, setTold] = useState("");
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setTold(t("Copied"));
    } catch {
      // Not allowed, or not there: a page over plain HTTP has no clipboard.
      setTold(t("This browser does not allow copying."));
    }
  }

  return (
    <span className="sy-hint">
      <code dir="ltr">{text}</code>{" "}
      <button type="button" className="sy-link" aria-label={`${t("Copy")}: ${text}`} onClick={() => void copy()}>{t("Copy")}</button>
      <span role="status">{told}</span>
    </span>
  );
}
