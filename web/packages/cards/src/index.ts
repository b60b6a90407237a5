// What the console and the elements use of the cards.
export { CardView, type CardViewProps } from "./CardView.tsx";
export { Receipt, type ReceiptProps } from "./Receipt.tsx";
export { ToolRow } from "./ToolRow.tsx";
export { Progress } from "./Progress.tsx";
export { Markdown } from "./markdown/Markdown.tsx";
export { Values, Value } from "./parts/Values.tsx";
export { registerCard, type OwnCard } from "./ui-tool/registry.ts";
export type { CardState, Outcome } from "./state.ts";
export { answer, type CardComponent, type CardProps } from "./card.ts";
export type { CardMessage, ProblemWords, ProgressView, ToolCall } from "./wire.ts";
