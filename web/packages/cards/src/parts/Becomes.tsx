// One value and what it becomes: line by line where there are lines, else one after the other. Only open cards load it.
import type { JsonValue } from "../wire.ts";
import { BeforeAfter } from "./Changes.tsx";
import { Difference, hasLines } from "./Difference.tsx";

interface Props {
  before: JsonValue | undefined;
  after: JsonValue | undefined;
}

export function Becomes({ before, after }: Props) {
  return hasLines(before, after) ? <Difference before={before} after={after} /> : <BeforeAfter before={before} after={after} />;
}
