// Links from the chat to an artifact shown beside it.
import { t } from "@sayso/core";
import type { CardProps } from "../card.ts";
import { Actions, Button } from "../parts/Actions.tsx";
import { Frame } from "../parts/Frame.tsx";
import type { ArtifactPayload } from "../wire.ts";

export function ArtifactCard(card: CardProps<ArtifactPayload>) {
  const { payload, openArtifact } = card;
  return (
    <Frame card={card} title={payload.title} lead={payload.agent_message} tone="calm" chip={t("Version {n}", { n: payload.version })}>
      {openArtifact === undefined ? (
        <p className="sy-note">{t("It is shown beside the chat.")}</p>
      ) : (
        <Actions>
          <Button look="stand" onPress={() => openArtifact(payload.artifact_id)}>{t("Open")}</Button>
        </Actions>
      )}
    </Frame>
  );
}
