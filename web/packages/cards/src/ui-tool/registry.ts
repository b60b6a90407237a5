// A registry of an application's own cards by ui_tool_id. Without an entry the generic card draws the payload.
import type { CardComponent } from "../card.ts";

/** A component, or the name of a custom element that the host page has defined. */
export type OwnCard = CardComponent | string;

const own = new Map<string, OwnCard>();

/** Draw the UI tool `uiToolId` with `card` from now on; returns a function that removes it. */
export function registerCard(uiToolId: string, card: OwnCard): () => void {
  own.set(uiToolId, card);
  return () => {
    if (own.get(uiToolId) === card) own.delete(uiToolId);
  };
}

export function ownCard(uiToolId: string): OwnCard | undefined {
  return own.get(uiToolId);
}
