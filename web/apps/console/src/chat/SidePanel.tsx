// The panel beside the chat: progress, cards, results (newest first) and requirements.
import { type ArtifactItem, type ChatView, type JsonObject, type MessageItem, t } from "@sayso/core";
import { Progress } from "@sayso/cards";
import { useEffect, useRef } from "react";
import { lazyPart } from "../frame/lazyComponent.tsx";
import { KnownValues } from "./KnownValues.tsx";
import { CardSlot, type CardTools } from "./LogItem.tsx";

const ArtifactPanel = lazyPart(
  () => import("./ArtifactPanel.tsx"),
  (file) => file.ArtifactPanel,
  <div className="artifact skeleton" aria-hidden="true">
    <i />
    <i className="tall" />
  </div>,
);

/** The margin above a new result. */
const MARGIN_PIXELS = 22;

interface Props {
  chatId: string;
  requirements: ChatView["requirements"];
  progress: ChatView["progress"];
  /** How the last run is; one that was stopped or failed gets no further. */
  run: ChatView["run"];
  cards: readonly MessageItem[];
  artifacts: readonly ArtifactItem[];
  tools: CardTools;
  /** Drafts of cards from other devices. */
  drafts: Readonly<Record<string, JsonObject>>;
  now: Date;
}

export function SidePanel({ chatId, requirements, progress, run, cards, artifacts, tools, drafts, now }: Props) {
  const results = useRef<HTMLElement>(null);
  const shown = useRef(artifacts.length);

  // Scroll to a new result, unless the person is working in the panel.
  useEffect(() => {
    const panel = results.current?.closest(".side");
    if (artifacts.length > shown.current && panel && !panel.matches(":focus-within"))
      panel.scrollTop += (results.current?.getBoundingClientRect().top ?? 0) - panel.getBoundingClientRect().top - MARGIN_PIXELS;
    shown.current = artifacts.length;
  }, [artifacts.length]);

  return (
    <>
      {progress != null && (
        <section aria-labelledby="progress-title">
          <h2 id="progress-title">{t("Progress")}</h2>
          <Progress progress={progress as unknown as Parameters<typeof Progress>[0]["progress"]} run={asProgress(run?.status)} />
        </section>
      )}
      {cards.length > 0 && (
        <section aria-labelledby="beside-title">
          <h2 id="beside-title">{t("Beside the chat")}</h2>
          {cards.map((message) => (
            <CardSlot
              key={message.event_id}
              message={message}
              tools={tools}
              draft={drafts[message.event_id]}
              now={now}
            />
          ))}
        </section>
      )}
      {artifacts.length > 0 && (
        <section aria-labelledby="results-title" ref={results}>
          <h2 id="results-title">{t("Results")}</h2>
          {artifacts.toReversed().map((artifact) => (
            <ArtifactPanel key={artifact.artifact_id} artifact={artifact} />
          ))}
        </section>
      )}
      {requirements != null && <KnownValues chatId={chatId} requirements={requirements} />}
    </>
  );
}

function asProgress(status: string | undefined): "works" | "waits" | "stopped" {
  if (status === "cancelled" || status === "failed") return "stopped";
  return status === "waiting" ? "waits" : "works";
}

type Side = Pick<Props, "progress" | "requirements" | "cards" | "artifacts">;

export function hasSide({ progress, requirements, cards, artifacts }: Side): boolean {
  return progress != null || requirements != null || cards.length > 0 || artifacts.length > 0;
}

export function onlyKnown({ requirements, progress, cards, artifacts }: Side): boolean {
  return requirements != null && progress == null && cards.length === 0 && artifacts.length === 0;
}

export function sideLabel(side: Side): string {
  const { progress, cards, artifacts, requirements } = side;
  if (onlyKnown(side)) return t("What is known");
  if (progress == null && (requirements == null || artifacts.length > 0)) return t("Results");
  if (requirements == null && cards.length === 0 && artifacts.length === 0) return t("Progress");
  return t("Progress and results");
}
