// The card of a message, whichever it is and wherever it stands: open, on its way, or settled into one line.
import { useId, useRef, type ReactElement } from "react";
import type { CardProps } from "./card.ts";
import { useDraft } from "./draft.ts";
import { useFocusAcross } from "./focus.ts";
import { CardTitle, HeadingId } from "./naming.ts";
import { Receipt } from "./Receipt.tsx";
import { cardMetaOf, cardTitleOf, later, uiToolOf } from "@sayso/core";
import { asProblem, useCardState } from "./state.ts";
import { useHeldStill } from "./still.ts";
import { useLater } from "./later.ts";
import { Frame } from "./parts/Frame.tsx";
import { NotLoaded, Skeleton } from "./parts/Skeleton.tsx";
import type { AnswerGiven, CardMessage, JsonObject, Send, UiTool } from "./wire.ts";

export interface CardViewProps {
  message: CardMessage;
  send: Send;
  /** What this person typed before, from the browser or another device. */
  draft?: JsonObject | undefined;
  onDraft?: ((draft: JsonObject) => void) | undefined;
  now: Date;
  /** Who is looking: an answer of theirs reads "by you". */
  me?: string | undefined;
  openArtifact?: ((artifactId: string) => void) | undefined;
  /** What was answered, where the page knows it (an interaction has it, a message does not). */
  response?: AnswerGiven | null | undefined;
  /** Fetches what was answered, when somebody opens the receipt to read it. */
  loadResponse?: ((interactionId: string) => Promise<AnswerGiven | null>) | undefined;
}

export function CardView(props: CardViewProps): ReactElement | null {
  const tool = uiToolOf(props.message);
  return tool === null ? null : <Card {...props} tool={tool} />;
}

function Card({ message, send, draft: given, onDraft, now, me, openArtifact, response, loadResponse, tool }: CardViewProps & { tool: UiTool }) {
  const root = useRef<HTMLElement>(null);
  const receipt = useRef<HTMLElement>(null);
  const headingId = useId();
  const meta = cardMetaOf(tool.payload);
  const [state, submit] = useCardState(tool, send);
  const [draft, setDraft, wasTyped] = useDraft(given, onDraft, root);
  useHeldStill(root, state.phase === "sending");
  useFocusAcross(state.phase === "settled" ? "settled" : "open", root, () => receipt.current);

  const card: CardProps = {
    payload: tool.payload,
    meta,
    tool,
    message,
    state,
    submit,
    extend: (seconds) => send({ type: "extend", seconds }).catch((reason: unknown) => Promise.reject(asProblem(reason))),
    compose: (text) => void send({ type: "compose", text }).catch(() => undefined),
    draft,
    setDraft,
    now,
    openArtifact,
  };
  return (
    <CardTitle.Provider value={cardTitleOf(tool)}>
      <HeadingId.Provider value={headingId}>
        <article ref={root} className="sy-slot" aria-labelledby={headingId} data-card={meta.card} data-state={state.phase}>
          {state.phase === "settled" ? (
            <Receipt tool={tool} meta={meta} outcome={state.outcome} answer={state.outcome.answer ?? response} load={loadResponse} draft={draft} wasTyped={wasTyped} now={now} me={me} lineRef={receipt} compose={card.compose} />
          ) : (
            <Opening card={card} />
          )}
        </article>
      </HeadingId.Provider>
    </CardTitle.Provider>
  );
}

/** Open cards are asked for as soon as the page runs; in a page of settled ones nobody waits for them. */
export const openCards = later(() => import("./OpenCard.tsx"));
void openCards.load().catch(() => undefined);

/** The card, or its sheet with as many grey lines as it may have, until the code is there. */
function Opening({ card }: { card: CardProps }) {
  const loaded = useLater(openCards);
  if (loaded.is === "there") return <loaded.it.OpenCard card={card} />;
  return (
    <Frame card={card} title={cardTitleOf(card.tool)} lead={card.message.content} tone="calm">
      {loaded.is === "failed" ? <NotLoaded again={loaded.again} /> : <Skeleton lines={linesOf(card.payload)} />}
    </Frame>
  );
}

/** A line for each value that will stand there, and some for the buttons. */
function linesOf(payload: JsonObject): number {
  const [most] = [payload.rows, payload.options, payload.entity_details, payload.tool_params, payload.details, payload.known]
    .map((part) => (typeof part === "object" && part !== null ? Object.keys(part).length : 0))
    .sort((a, b) => b - a);
  return 3 + (most ?? 0);
}
