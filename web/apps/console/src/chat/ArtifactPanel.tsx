// A result beside the chat: to read, and to change as plain text. A change names the version it was made on.
import { type ArtifactItem, type JsonValue, Problem } from "@sayso/core";
import { Markdown } from "@sayso/cards";
import { useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { wordsFor } from "../frame/hooks.ts";
import { messages as texts } from "../messages.ts";
import { forgetUnsent, keepUnsent, unsent } from "../unsent.ts";

type Editing =
  | { phase: "reading" }
  /** `base` is the version that was on the screen when writing began. */
  | { phase: "writing"; text: string; base: number; problem?: string }
  | { phase: "saving"; text: string; base: number };

export function ArtifactPanel({ artifact }: { artifact: ArtifactItem }) {
  const kept = `artifact:${artifact.artifact_id}` as const;
  const [editing, setEditing] = useState<Editing>(() => restored(unsent(kept)));
  const editButton = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const isReading = editing.phase === "reading";
  const wasReading = useRef(isReading);
  const isText = typeof artifact.content === "string";
  const conflict = editing.phase === "writing" && artifact.version > editing.base;

  // The focus follows the press on "Edit" and comes back after it; a text restored on loading does not take it.
  useEffect(() => {
    if (wasReading.current === isReading) return;
    wasReading.current = isReading;
    (isReading ? editButton : box).current?.focus();
  }, [isReading]);

  function write(text: string, base: number) {
    keepUnsent(kept, { text, base });
    setEditing({ phase: "writing", text, base });
  }

  function stop() {
    forgetUnsent(kept);
    setEditing({ phase: "reading" });
  }

  async function save(text: string, base: number) {
    const content = isText ? text : parsed(text);
    if (content === undefined) return setEditing({ phase: "writing", text, base, problem: texts.artifact.notJson });
    setEditing({ phase: "saving", text, base });
    try {
      await api.saveArtifact(artifact.artifact_id, base, { content });
      announce(texts.announce.saved);
      stop();
    } catch (error) {
      const { detail } = wordsFor(error);
      // Who was first is seen by the version that comes over the log.
      const problem = error instanceof Problem && error.code === "version_conflict" ? {} : { problem: detail };
      if (!("problem" in problem)) announce(texts.announce.notSent(detail), "assertive");
      setEditing({ phase: "writing", text, base, ...problem });
    }
  }

  return (
    <section className="artifact" aria-labelledby={`artifact-${artifact.artifact_id}`}>
      <header>
        <h3 id={`artifact-${artifact.artifact_id}`} tabIndex={-1} dir="auto">
          {artifact.title}
        </h3>
        <p className="quiet">
          {texts.artifact.version(artifact.version)}
          {artifact.updated_by ? ` · ${texts.artifact.changedBy(artifact.updated_by)}` : ""}
        </p>
      </header>
      {editing.phase === "reading" ? (
        <>
          <Content content={artifact.content} />
          <button
            type="button"
            className="button"
            ref={editButton}
            onClick={() => write(asText(artifact.content), artifact.version)}
          >
            {texts.artifact.edit}
            <span className="unseen">: {artifact.title}</span>
          </button>
        </>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (editing.phase === "writing") void save(editing.text, conflict ? artifact.version : editing.base);
          }}
        >
          {conflict && <p className="notice">{texts.artifact.conflict(artifact.version)}</p>}
          {editing.phase === "writing" && editing.problem !== undefined && (
            <p className="composer-error" id={`artifact-error-${artifact.artifact_id}`}>
              {editing.problem}
            </p>
          )}
          <label>
            <span className="unseen">{texts.artifact.editing(artifact.title)}</span>
            <textarea
              rows={14}
              dir="auto"
              value={editing.text}
              readOnly={editing.phase === "saving"}
              aria-invalid={editing.phase === "writing" && editing.problem !== undefined}
              {...(editing.phase === "writing" && editing.problem !== undefined
                ? { "aria-describedby": `artifact-error-${artifact.artifact_id}` }
                : {})}
              ref={box}
              onInput={(event) => write(event.currentTarget.value, editing.base)}
            />
          </label>
          <div className="row">
            <button type="submit" className="button go" aria-disabled={editing.phase === "saving"}>
              {editing.phase === "saving"
                ? texts.artifact.saving
                : conflict
                  ? texts.artifact.mine(artifact.version)
                  : texts.artifact.save}
            </button>
            <button type="button" className="button" onClick={stop}>
              {conflict ? texts.artifact.theirs : texts.artifact.discard}
            </button>
          </div>
        </form>
      )}
    </section>
  );
}

function Content({ content }: { content: JsonValue }) {
  const text = markdownOf(content);
  if (text !== null) return <Markdown text={text} />;
  return (
    <pre className="artifact-data" tabIndex={0}>
      {asText(content)}
    </pre>
  );
}

/** A text, or an object that is one text under a name that says so. */
function markdownOf(content: JsonValue): string | null {
  if (typeof content === "string") return content;
  if (typeof content !== "object" || content === null || Array.isArray(content)) return null;
  const [key, ...more] = Object.keys(content);
  if (key === undefined || more.length > 0) return null;
  const value = content[key];
  return typeof value === "string" && ["text", "markdown", "content"].includes(key) ? value : null;
}

function asText(content: JsonValue): string {
  return typeof content === "string" ? content : JSON.stringify(content, null, 2);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function restored(kept: ReturnType<typeof unsent>): Editing {
  const { text, base } = kept ?? {};
  return typeof text === "string" && typeof base === "number" ? { phase: "writing", text, base } : { phase: "reading" };
}
