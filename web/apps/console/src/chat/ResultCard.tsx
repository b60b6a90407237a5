// A result in the log: what it is in a line, and the way to it in the panel.
import { type ArtifactItem, t } from "@sayso/core";
import { clock } from "@sayso/cards";
import { resultLine } from "./resultLine.ts";

interface Props {
  artifact: ArtifactItem;
  open: ((artifactId: string) => void) | undefined;
  now: Date;
}

export function ResultCard({ artifact, open, now }: Props) {
  const { artifact_id, title, content, version, updated_at, updated_by } = artifact;
  return (
    <div className="entry result" role="group" aria-label={title}>
      <p>
        <b dir="auto">{title}</b>
        <span className="quiet" dir="auto">{resultLine(content)}</span>
        <small>
          {version > 1 && `${t("Version {n}", { n: version })} · `}
          {updated_by ? `${t("changed by {who}", { who: updated_by })} · ` : ""}
          <time dateTime={updated_at}>{clock(updated_at, now)}</time>
        </small>
      </p>
      {open !== undefined && (
        <button type="button" className="button" onClick={() => open(artifact_id)}>
          {t("Open")}
          <span className="unseen">: {title}</span>
        </button>
      )}
    </div>
  );
}
