// The context of a question, under its message. The stage of the work belongs to the progress, not here.
import type { JsonObject } from "../wire.ts";
import { Values } from "./Values.tsx";

export function Context({ context }: { context: JsonObject }) {
  const { workflow_stage: _, ...shown } = context;
  return Object.keys(shown).length === 0 ? null : <div className="sy-context"><Values values={shown} /></div>;
}
