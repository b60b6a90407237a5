// The card of a message in any state: open, sending, or settled into a receipt.
import { useId, useRef, type ReactElement } from "react";
import type { CardProps } from "./card.ts";
import { useDraft } from "./draft.ts";
import { useFocusAcross } from "./focus.ts";
import { CardTitle, HeadingId } from "./naming.ts";
import { Receipt } from "./Receipt.tsx";
import { cardMetaOf, cardTitleOf, lazy, uiToolOf } from "@sayso/core";
import { asProblem, useCardState } from "./state.ts";
import { useFrozenInputs } from "./useFrozenInputs.ts";
import { useLazy } from "./useLazy.ts";
import { Frame } from "./parts/Frame.tsx";
import { NotLoaded, Skeleton } from "./parts/Skeleton.tsx";
import type { AnswerGiven, CardMessage, JsonObject, Send, UiTool } from "./wire.ts";

export interface CardViewProps {
  message: CardMessage;
  send: Send;
  /** This person's draft, from this browser or another device. */
  draft?: JsonObject | undefined;
  onDraft?: ((draft: JsonObject) => void) | undefined;
  now: Date;
  /** The current person: their answers read "by you". */
  me?: string | undefined;
  openArtifact?: ((artifactId: string) => void) | undefined;
  /** The answer, if the page knows it (an interaction has it, a message does not). */
  response?: AnswerGiven | null | undefined;
  /** Fetches the answer when the receipt is opened. */
  loadResponse?: ((interactionId: string) => Promise<AnswerGiven | null>) | undefined;
  /** Fetches a file beside the card by its digest. */
  loadFile?: ((interactionId: string, digest: string) => Promise<Blob>) | undefined;
  /** Fetches what this person chose when they were last asked the same; always the same function. */
  loadLastChoice?: ((interactionId: string) => Promise<JsonObject>) | undefined;
}

export function CardView(props: CardViewProps): ReactElement | null {
  const tool = uiToolOf(props.message);
  return tool === null ? null : <Card {...props} tool={tool} />;
}

function Card({ message, send, draft: given, onDraft, now, me, openArtifact, response, loadResponse, loadFile, loadLastChoice, tool }: CardViewProps & { tool: UiTool }) {
  const root = useRef<HTMLElement>(null);
  const receipt = useRef<HTMLElement>(null);
  const headingId = useId();
  const meta = cardMetaOf(tool.payload);
  const [state, submit] = useCardState(tool, send);
  const [draft, setDraft, wasTyped] = useDraft(given, onDraft, root);
  useFrozenInputs(root, state.phase === "sending");
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
    me,
    openArtifact,
    loadFile: loadFile && ((digest) => loadFile(tool.event_id, digest)),
    loadLastChoice,
  };
  return (
    <CardTitle.Provider value={cardTitleOf(tool)}>
      <HeadingId.Provider value={headingId}>
        <article ref={root} className="sy-slot" aria-labelledby={headingId} data-card={meta.card} data-state={state.phase}>
          {state.phase === "settled" ? (
            <Receipt tool={tool} meta={meta} outcome={state.outcome} answer={state.outcome.answer ?? response} load={loadResponse} draft={draft} wasTyped={wasTyped} now={now} me={me} lineRef={receipt} compose={card.compose} evidence={<Evidence card={card} />} />
          ) : (
            <Opening card={card} />
          )}
        </article>
      </HeadingId.Provider>
    </CardTitle.Provider>
  );
}

/** The code of open cards is requested at start-up; a page of receipts does not wait for it. */
export const openCards = lazy(() => import("./OpenCard.tsx"));
void openCards.load().catch(() => undefined);

function Evidence({ card }: { card: CardProps }) {
  const loaded = useLazy(openCards);
  return loaded.is === "loaded" ? <loaded.value.Attachments card={card} /> : null;
}

/** The card, or a skeleton of about its height until the code is loaded. */
function Opening({ card }: { card: CardProps }) {
  const loaded = useLazy(openCards);
  if (loaded.is === "loaded") return <loaded.value.OpenCard card={card} />;
  return (
    <Frame card={card} title={cardTitleOf(card.tool)} lead={card.message.content} tone="calm">
      {loaded.is === "failed" ? <NotLoaded retry={loaded.retry} /> : <Skeleton lines={linesOf(card.payload)} />}
    </Frame>
  );
}

/** Count the skeleton lines: one per value, and some for the buttons. */
function linesOf(payload: JsonObject): number {
  const [most] = [payload.rows, payload.options, payload.entity_details, payload.tool_params, payload.details, payload.known]
    .map((part) => (typeof part === "object" && part !== null ? Object.keys(part).length : 0))
    .sort((a, b) => b - a);
  return 3 + (most ?? 0);
}
