// The reader of Markdown comes in a file of its own: until it is there, the text stands as it was written.
import { later } from "@sayso/core";

export const reader = later(() => import("./blocks.ts"));
void reader.load().catch(() => undefined);
