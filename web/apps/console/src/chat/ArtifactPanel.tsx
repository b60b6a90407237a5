// A result beside the chat: to read, and to change as plain text. A change names the version it was made on.
import { type ArtifactItem, type JsonValue, Problem, t } from "@sayso/core";
import { Markdown } from "@sayso/cards";
import { useEffect, useRef, useState } from "react";
import { api } from "../browser.ts";
import { announce } from "../frame/announce.tsx";
import { wordsFor } from "../frame/hooks.ts";
import { lazyPart } from "../frame/lazy.tsx";
import { forgetUnsent, keepUnsent, unsent } from "../unsent.ts";
import { tripOf } from "./trips/shapes.ts";

const TripView = lazyPart(() => import("./trips/TripView.tsx"), (file) => file.TripView);

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
    if (content === undefined) return setEditing({ phase: "writing", text, base, problem: t("This is not valid JSON. Correct it, then save.") });
    setEditing({ phase: "saving", text, base });
    try {
      await api.saveArtifact(artifact.artifact_id, base, { content });
      announce(t("Saved"));
      stop();
    } catch (error) {
      const { detail } = wordsFor(error);
      // Who was first is seen by the version that comes over the log.
      const problem = error instanceof Problem && error.code === "version_conflict" ? {} : { problem: detail };
      if (!("problem" in problem)) announce(t("Not sent. {why}", { why: detail }), "assertive");
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
          {t("Version {n}", { n: artifact.version })}
          {artifact.updated_by ? ` · ${t("changed by {who}", { who: artifact.updated_by })}` : ""}
        </p>
      </header>
      {isReading && tripOf(artifact.ui_tool_id, artifact.content) !== null ? (
        <TripView artifact={artifact} />
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
