// The name of the card that something stands in, for headings and for buttons that are heard alone.
import { createContext } from "react";

export const HeadingId = createContext("");
export const CardTitle = createContext("");
