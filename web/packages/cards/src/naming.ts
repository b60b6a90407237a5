// What a part of a card knows of the whole: its name, for headings and for buttons that are heard alone, and what
// went wrong when it was sent.
import { createContext } from "react";
import type { ProblemWords } from "./wire.ts";

export const HeadingId = createContext("");
export const CardTitle = createContext("");
/** Undefined too where the card shows the problem beside its fields. */
export const CardProblem = createContext<ProblemWords | undefined>(undefined);
