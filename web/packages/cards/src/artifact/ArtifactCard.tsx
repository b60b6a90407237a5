// Points from the chat to a result that is drawn beside it.
import type { CardProps } from "../card.ts";
import { Actions, Button } from "../parts/Actions.tsx";
import { Frame } from "../parts/Frame.tsx";
import type { ArtifactPayload } from "../wire.ts";

export function ArtifactCard(card: CardProps<ArtifactPayload>) {
  const { payload, openArtifact } = card;
  return (
    <Frame card={card} title={payload.title} lead={payload.agent_message} tone="calm" chip={`Version ${payload.version}`}>
      {openArtifact === undefined ? (
        <p className="sy-note">It is shown beside the chat.</p>
      ) : (
        <Actions>
          <Button look="stand" onPress={() => openArtifact(payload.artifact_id)}>Open</Button>
        </Actions>
      )}
    </Frame>
  );
}
