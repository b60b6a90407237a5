// How the calls stand that an app has made of its server: what waits for whom, and how the last one ended.
import { type Interaction, isObject, t, type UiCall } from "@sayso/core";
import { useEffect, useState } from "react";
import { api } from "../browser.ts";
import { useNow } from "../frame/hooks.ts";
import { InteractionCard } from "../inbox/InteractionCard.tsx";

interface Props {
  calls: readonly UiCall[];
  me: string | undefined;
  /** The cards stand here, where the chat behind cannot be reached. */
  showsCards: boolean;
}

export function OpenCalls({ calls, showsCards, me }: Props) {
  return (
    <div className="tool-ui-calls">
      {calls.map((call) => (
        <div key={call.id}>
          <p role="status" dir="auto">
            {wordsOf(call, showsCards)}
          </p>
          {showsCards && call.state === "waiting" && call.cards.map((id) => <Card key={id} id={id} me={me} />)}
        </div>
      ))}
    </div>
  );
}

function wordsOf(call: UiCall, isHere: boolean): string {
  const { tool } = call;
  switch (call.state) {
    case "running":
      return t("“{tool}” is under way.", { tool });
    case "waiting":
      return isHere ? t("“{tool}” waits for an answer.", { tool }) : t("“{tool}” waits for an answer, on its card in this chat.", { tool });
    case "ended":
      return call.result?.["isError"] === true
        ? t("“{tool}” has not come to a good end. {why}", { tool, why: textOf(call) })
        : t("“{tool}” has been carried out.", { tool });
  }
}

function textOf({ result }: UiCall): string {
  const content = result?.["content"];
  const first = Array.isArray(content) ? content[0] : undefined;
  return isObject(first) && typeof first["text"] === "string" ? first["text"].slice(0, 500) : "";
}

function Card({ id, me }: { id: string; me: string | undefined }) {
  const now = useNow(15_000);
  const [interaction, setInteraction] = useState<Interaction | null>(null);
  useEffect(() => {
    // Where it cannot be read now, it stands in the chat all the same.
    api.interaction(id).then(setInteraction, () => undefined);
  }, [id]);
  if (interaction === null) return null;
  return <InteractionCard interaction={interaction} now={now} me={me} onChange={setInteraction} onAnswering={() => undefined} />;
}
