// React contexts of a card: its title, for headings and button labels, and the problem
// of the last send.
import { createContext } from "react";
import type { ProblemWords } from "./wire.ts";

export const HeadingId = createContext("");
export const CardTitle = createContext("");
/** Undefined also if the card shows the problem beside its fields. */
export const CardProblem = createContext<ProblemWords | undefined>(undefined);
