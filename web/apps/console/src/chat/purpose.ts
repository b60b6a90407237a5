// What words in the composer are for: a new task, the answer to a card, or something beside a decision that waits.
import { cardBodyOf, cardTitleOf, type MessageItem, uiToolOf } from "@sayso/core";

export type Purpose =
  /** Nothing runs: the words begin something. */
  | { to: "agent" }
  /** The agent works: the words come after it, or stop it. */
  | { to: "busy" }
  /** One card waits that takes words as its answer; `yes` where a yes is one. */
  | { to: "card"; title: string; yes: boolean }
  /** Cards wait that only their own buttons answer. */
  | { to: "decision"; title: string; only: string | undefined };

export type Verdict = "yes" | "no";

export function purposeOf(waiting: readonly MessageItem[], runIsOpen: boolean): Purpose {
  const [first, ...more] = waiting;
  const tool = first === undefined ? null : uiToolOf(first);
  if (first === undefined || tool === null) return { to: runIsOpen ? "busy" : "agent" };
  const title = cardTitleOf(tool);
  const only = more.length === 0;
  const body = cardBodyOf(tool.payload);
  if (only && body.kind === "requirements") return { to: "card", title, yes: true };
  if (only && body.kind === "options" && (body.fields.options ?? []).length === 0)
    return { to: "card", title: body.fields.question || title, yes: false };
  return { to: "decision", title, only: only && DECIDED.has(body.kind) ? first.event_id : undefined };
}

/** Return what a bare yes or no would decide. It only offers the button, so it may hear more than the server would. */
export function verdictOf(text: string): Verdict | undefined {
  const words = text.toLowerCase().replace(/[^\p{L}\p{N}\p{Extended_Pictographic}]+/gu, " ").trim();
  return YES.has(words) ? "yes" : NO.has(words) ? "no" : undefined;
}

/** Press the button of a card that stands for the verdict: the card's own checks and second looks hold. */
export function press(tree: Document | ShadowRoot, interactionId: string, verdict: Verdict): void {
  const look = verdict === "yes" ? "go" : "stand";
  tree.querySelector<HTMLButtonElement>(`#${CSS.escape(`card-${interactionId}`)} .sy-actions [data-look="${look}"]`)?.click();
}

/** Cards with one button for a yes and one for a no. */
const DECIDED: ReadonlySet<string> = new Set(["approval", "exchanges", "confirmation"]);
const YES: ReadonlySet<string> = new Set(
  "yes|y|yep|yeah|ok|okay|sure|approve|approved|confirm|go|go ahead|do it|yes please|👍|✅|是|是的|好|好的|可以|行|同意|批准|确认".split("|"),
);
const NO: ReadonlySet<string> = new Set("no|n|nope|no thanks|reject|rejected|stop|don t|cancel|👎|不|不是|不行|不要|不可以|拒绝|取消".split("|"));
