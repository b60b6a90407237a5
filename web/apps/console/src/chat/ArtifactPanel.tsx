// A result beside the chat: drawn by its registered renderer, or shown and edited as text. A save names its base version.
import { type ArtifactItem, type JsonValue, Problem, t } from "@sayso/core";
import { type ArtifactProps, type ArtifactRenderer, artifactRenderer, Markdown, type SaveResult } from "@sayso/cards";
import { useEffect, useRef, useState } from "react";
import { addressOf, api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { describeError } from "../frame/hooks.ts";
import { type LazyComponent, lazyPart } from "../frame/lazyComponent.tsx";
import { removeDraft, saveDraft, readDraft } from "../draftStorage.ts";
import { textOf } from "./resultLine.ts";
import "@sayso/trips";

type Editing =
  | { phase: "reading" }
  /** `base` is the version on the screen when editing began. */
  | { phase: "writing"; text: string; base: number; problem?: string }
  | { phase: "saving"; text: string; base: number };

export function ArtifactPanel({ artifact }: { artifact: ArtifactItem }) {
  const kept = `artifact:${artifact.artifact_id}` as const;
  const [editing, setEditing] = useState<Editing>(() => restored(readDraft(kept)));
  const editButton = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const isReading = editing.phase === "reading";
  const wasReading = useRef(isReading);
  const isText = typeof artifact.content === "string";
  const conflict = editing.phase === "writing" && artifact.version > editing.base;
  const renderer = isReading ? artifactRenderer(artifact) : undefined;

  // The focus moves into the editor on "Edit" and back afterwards; a restored draft does not take it.
  useEffect(() => {
    if (wasReading.current === isReading) return;
    wasReading.current = isReading;
    (isReading ? editButton : box).current?.focus();
  }, [isReading]);

  function write(text: string, base: number) {
    saveDraft(kept, { text, base });
    setEditing({ phase: "writing", text, base });
  }

  function stop() {
    removeDraft(kept);
    setEditing({ phase: "reading" });
  }

  async function save(text: string, base: number) {
    const content = isText ? text : parsed(text);
    if (content === undefined) return setEditing({ phase: "writing", text, base, problem: t("This is not valid JSON. Correct it, then save.") });
    setEditing({ phase: "saving", text, base });
    const result = await saveArtifact(artifact, base, content);
    if (result.is === "saved") {
      announce(t("Saved"));
      return stop();
    }
    // The version that comes over the log shows who was first.
    if (result.is === "conflict") announce(t("Not sent. {why}", { why: result.why }), "assertive");
    setEditing({ phase: "writing", text, base, ...(result.is === "failed" ? { problem: result.why } : {}) });
  }

  return (
    <section className="artifact" aria-labelledby={`artifact-${artifact.artifact_id}`}>
      <header>
        <h3 id={`artifact-${artifact.artifact_id}`} tabIndex={-1} dir="auto">
          {artifact.title}
        </h3>
        <p className="quiet">
          {t("Version {n}", { n: artifact.version })}
          {artifact.updated_by ? ` · ${t("changed by {who}", { who: artifact.updated_by })}` : ""}
        </p>
      </header>
      {renderer !== undefined ? (
        <Rendered renderer={renderer} artifact={artifact} />
      ) : editing.phase === "reading" ? (
        <>
          <Content content={artifact.content} />
          <button
            type="button"
            className="button"
            ref={editButton}
            onClick={() => write(asText(artifact.content), artifact.version)}
          >
            {t("Edit")}
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
          {conflict && <p className="notice">{t("Someone saved version {n} while you were writing. Your text is kept here.", { n: artifact.version })}</p>}
          {editing.phase === "writing" && editing.problem !== undefined && (
            <p className="composer-error" id={`artifact-error-${artifact.artifact_id}`}>
              {editing.problem}
            </p>
          )}
          <label>
            <span className="unseen">{t("Content of {title}", { title: artifact.title })}</span>
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
                ? t("Saving…")
                : conflict
                  ? t("Save mine over version {n}", { n: artifact.version })
                  : t("Save")}
            </button>
            <button type="button" className="button" onClick={stop}>
              {conflict ? t("Take theirs") : t("Discard")}
            </button>
          </div>
        </form>
      )}
    </section>
  );
}

/** The lazy part that each registered renderer is drawn by. */
const parts = new WeakMap<ArtifactRenderer, LazyComponent<ArtifactProps>>();

function partOf(renderer: ArtifactRenderer): LazyComponent<ArtifactProps> {
  const part = parts.get(renderer) ?? lazyPart(renderer.load, (file) => file.default);
  parts.set(renderer, part);
  return part;
}

function Rendered({ renderer, artifact }: { renderer: ArtifactRenderer; artifact: ArtifactItem }) {
  const Part = partOf(renderer);
  return (
    <Part
      artifact={artifact}
      save={(base, content) => saveArtifact(artifact, base, content)}
      fileUrl={(format) => addressOf(`/api/artifacts/${encodeURIComponent(artifact.artifact_id)}?format=${format}`)}
      announce={announce}
    />
  );
}

async function saveArtifact({ artifact_id }: ArtifactItem, base: number, content: JsonValue): Promise<SaveResult> {
  try {
    const { version } = await api.saveArtifact(artifact_id, base, { content });
    return { is: "saved", version };
  } catch (error) {
    const isConflict = error instanceof Problem && error.code === "version_conflict";
    return { is: isConflict ? "conflict" : "failed", why: describeError(error).detail };
  }
}

function Content({ content }: { content: JsonValue }) {
  const text = textOf(content);
  if (text !== null) return <Markdown text={text} />;
  return (
    <pre className="artifact-data" tabIndex={0}>
      {asText(content)}
    </pre>
  );
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

function restored(kept: ReturnType<typeof readDraft>): Editing {
  const { text, base } = kept ?? {};
  return typeof text === "string" && typeof base === "number" ? { phase: "writing", text, base } : { phase: "reading" };
}
