// A change shows at once and is saved behind it, one at a time; each names the version it was made on.
import { type ArtifactItem, type JsonValue, Problem, t } from "@sayso/core";
import { useEffect, useRef, useState } from "react";
import { api } from "../../browser.ts";
import { announce } from "../../frame/announce.tsx";
import { wordsFor } from "../../frame/hooks.ts";

/** `until` is the version that holds it; null while it is on its way. */
type Mine = { content: JsonValue; until: number | null };

export function useSaved(artifact: ArtifactItem) {
  const [mine, setMine] = useState<Mine | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const next = useRef<JsonValue | undefined>(undefined);
  const version = useRef(artifact.version);
  const isBusy = useRef(false);
  useEffect(() => {
    if (!isBusy.current) version.current = Math.max(version.current, artifact.version);
  }, [artifact.version]);

  const isMine = mine !== null && (mine.until === null || artifact.version < mine.until);

  async function send() {
    isBusy.current = true;
    try {
      while (next.current !== undefined) {
        const content = next.current;
        next.current = undefined;
        const saved = await api.saveArtifact(artifact.artifact_id, version.current, { content });
        version.current = saved.version;
        if (next.current === undefined) setMine({ content, until: saved.version });
      }
      setProblem(null);
      announce(t("Saved"));
    } catch (error) {
      next.current = undefined;
      setMine(null);
      const said =
        error instanceof Problem && error.code === "version_conflict"
          ? t("Someone else changed this first. Their version is shown; make your change again.")
          : t("Not sent. {why}", { why: wordsFor(error).detail });
      setProblem(said);
      announce(said, "assertive");
    } finally {
      isBusy.current = false;
      version.current = Math.max(version.current, latest.current);
    }
  }

  const latest = useRef(artifact.version);
  latest.current = artifact.version;

  function save(content: JsonValue) {
    next.current = content;
    setMine({ content, until: null });
    if (!isBusy.current) void send();
  }

  return { content: isMine ? mine.content : artifact.content, save, problem };
}
