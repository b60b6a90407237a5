// A change shows at once and is saved in the background, one at a time; each names the version it was made on.
import type { ArtifactProps } from "@sayso/cards";
import { type JsonValue, t } from "@sayso/core";
import { useEffect, useRef, useState } from "react";

/** `until` is the version that holds it; null while it is being saved. */
type Edited = { content: JsonValue; until: number | null };

export function useSavedContent(artifact: ArtifactProps["artifact"], saveArtifact: ArtifactProps["save"], announce: ArtifactProps["announce"]) {
  const [edited, setEdited] = useState<Edited | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const next = useRef<JsonValue | undefined>(undefined);
  const version = useRef(artifact.version);
  const isSaving = useRef(false);
  const latest = useRef(artifact.version);
  latest.current = artifact.version;
  useEffect(() => {
    if (!isSaving.current) version.current = Math.max(version.current, artifact.version);
  }, [artifact.version]);

  const isNewer = edited !== null && (edited.until === null || artifact.version < edited.until);

  async function send() {
    isSaving.current = true;
    const words = await sendAll();
    isSaving.current = false;
    version.current = Math.max(version.current, latest.current);
    setProblem(words);
    if (words === null) return announce(t("Saved"));
    next.current = undefined;
    setEdited(null);
    announce(words, "assertive");
  }

  /** Sends what was changed last, until nothing is left; returns what to say when it was not saved. */
  async function sendAll(): Promise<string | null> {
    while (next.current !== undefined) {
      const content = next.current;
      next.current = undefined;
      const result = await saveArtifact(version.current, content);
      if (result.is === "conflict") return t("Someone else changed this first. Their version is shown; make your change again.");
      if (result.is === "failed") return t("Not sent. {why}", { why: result.why });
      version.current = result.version;
      if (next.current === undefined) setEdited({ content, until: result.version });
    }
    return null;
  }

  function save(content: JsonValue) {
    next.current = content;
    setEdited({ content, until: null });
    if (!isSaving.current) void send();
  }

  return { content: isNewer ? edited.content : artifact.content, save, problem };
}
