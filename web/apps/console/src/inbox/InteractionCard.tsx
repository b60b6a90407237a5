// One interaction outside its chat: the same card, answered in place over plain HTTP.
import { type Interaction, messageOf } from "@sayso/core";
import { CardView } from "@sayso/cards";
import { useEffect, useMemo } from "react";
import { api } from "../browser.ts";
import { warnOfTime } from "../frame/timeWarning.ts";
import { saveDraft, readDraft } from "../draftStorage.ts";
import { type Answering, sendFor } from "./answering.ts";

interface Props extends Answering {
  interaction: Interaction;
  now: Date;
  me: string | undefined;
}

export function InteractionCard({ interaction, now, me, ...answering }: Props) {
  const id = interaction.interaction_id;
  const message = useMemo(() => messageOf(interaction), [interaction]);
  useEffect(() => warnOfTime(message, now), [message, now]);
  return (
    <CardView
      message={message}
      send={sendFor(interaction, answering)}
      draft={readDraft(`interaction:${id}`)}
      onDraft={(draft) => saveDraft(`interaction:${id}`, draft)}
      now={now}
      me={me}
      response={interaction.response}
      loadFile={api.file}
      loadLastChoice={api.lastChoice}
    />
  );
}
