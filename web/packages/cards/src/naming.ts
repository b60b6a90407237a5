// React contexts of a card: its title, for headings and button labels, the problem of the last send,
// and the parts of its frame that come with the code of open cards.
import { type ComponentType, createContext } from "react";
import type { CardProps } from "./card.ts";
import type { ProblemWords } from "./wire.ts";

export const HeadingId = createContext("");
export const CardTitle = createContext("");
/** Undefined also if the card shows the problem beside its fields. */
export const CardProblem = createContext<ProblemWords | undefined>(undefined);
export const LoadedParts = createContext<Record<"Attachments" | "TimeLeft", ComponentType<{ card: CardProps<unknown> }>> | null>(null);
