// An application's own cards: what draws which ui_tool_id. Without an entry the generic card draws the payload.
import type { CardComponent } from "../card.ts";

/** A component, or the name of a custom element that the host page has defined. */
export type OwnCard = CardComponent | string;

const own = new Map<string, OwnCard>();

/** From now on `card` draws the UI tool `ui_tool_id`; gives a function that takes it back. */
export function registerCard(uiToolId: string, card: OwnCard): () => void {
  own.set(uiToolId, card);
  return () => {
    if (own.get(uiToolId) === card) own.delete(uiToolId);
  };
}

export function ownCard(uiToolId: string): OwnCard | undefined {
  return own.get(uiToolId);
}
