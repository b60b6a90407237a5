// The Markdown parser is loaded lazily; until then the raw text is shown.
import { lazy } from "@sayso/core";

export const reader = lazy(() => import("./blocks.ts"));
void reader.load().catch(() => undefined);
