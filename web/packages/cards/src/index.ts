// The public exports of @sayso/cards.
export { saveFile } from "./saveFile.ts";
export { CardView, type CardViewProps } from "./CardView.tsx";
export { Receipt, type ReceiptProps } from "./Receipt.tsx";
export { outcomeWords, outcomeSign, titleOfWhatRan, changesWords } from "./outcome.ts";
export { Changes } from "./parts/Changes.tsx";
export { ToolRow } from "./ToolRow.tsx";
export { Progress } from "./Progress.tsx";
export { Markdown } from "./markdown/Markdown.tsx";
export { Values, Value } from "./parts/Values.tsx";
export { SchemaView } from "./schema/SchemaView.tsx";
export { groupsOf } from "./approval/Editable.tsx";
export { formatted, labelOf, plain } from "./words.ts";
export { registerCard, type OwnCard } from "./ui-tool/registry.ts";
export {
  type ArtifactComponent,
  type ArtifactProps,
  type ArtifactRenderer,
  artifactRenderer,
  registerArtifact,
  type SaveResult,
} from "./artifact/registry.ts";
export { FieldInput } from "./schema/FieldInput.tsx";
export { type Field, fieldsOf } from "./schema/fields.ts";
export { inputOf, readField } from "./schema/inputs.ts";
export { originWords } from "./requirements/origin.ts";
export { clock, span, timeOfDay } from "./time.ts";
export type { CardState, Outcome } from "./state.ts";
export { answer, type CardComponent, type CardProps } from "./card.ts";
export type { CardMessage, ProblemWords, ProgressView, ToolCall } from "./wire.ts";
