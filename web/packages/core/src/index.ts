// What the other packages use of core.
export * from "./actions.ts";
export * from "./cards.ts";
export * from "./problem.ts";
export type * from "./wire/types.ts";
