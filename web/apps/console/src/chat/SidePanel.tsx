// Beside the chat: how far the work is, the cards that stand here, and the results.
import type { ArtifactItem, ChatView, MessageItem } from "@sayso/core";
import { Progress } from "@sayso/cards";
import { messages as texts } from "../messages.ts";
import { ArtifactPanel } from "./ArtifactPanel.tsx";
import { CardSlot, type CardTools } from "./LogItem.tsx";

interface Props {
  progress: ChatView["progress"];
  cards: readonly MessageItem[];
  artifacts: readonly ArtifactItem[];
  tools: CardTools;
  now: Date;
}

export function SidePanel({ progress, cards, artifacts, tools, now }: Props) {
  return (
    <>
      {progress != null && (
        <section aria-labelledby="progress-title">
          <h2 id="progress-title">{texts.side.progress}</h2>
          <Progress progress={progress as unknown as Parameters<typeof Progress>[0]["progress"]} />
        </section>
      )}
      {cards.length > 0 && (
        <section aria-labelledby="beside-title">
          <h2 id="beside-title">{texts.chat.beside}</h2>
          {cards.map((message) => (
            <CardSlot key={message.event_id} message={message} tools={tools} now={now} />
          ))}
        </section>
      )}
      {artifacts.length > 0 && (
        <section aria-labelledby="results-title">
          <h2 id="results-title">{texts.side.results}</h2>
          {artifacts.map((artifact) => (
            <ArtifactPanel key={artifact.artifact_id} artifact={artifact} />
          ))}
        </section>
      )}
    </>
  );
}

export function hasSide({ progress, cards, artifacts }: Pick<Props, "progress" | "cards" | "artifacts">): boolean {
  return progress != null || cards.length > 0 || artifacts.length > 0;
}
