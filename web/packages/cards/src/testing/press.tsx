// Draws a card as a page does, and remembers what it sent.
import { cleanup, render } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import { afterEach } from "vitest";
import { CardView, type CardViewProps } from "../CardView.tsx";
import type { CardAction, CardMessage, JsonObject, ProblemWords } from "../wire.ts";
import { NOW } from "./fixtures.ts";

afterEach(cleanup);

export interface Shown {
  /** The actions sent so far, oldest first. */
  sent: CardAction[];
  drafts: JsonObject[];
  user: ReturnType<typeof userEvent.setup>;
  container: HTMLElement;
  /** The same card after the chat has moved on. */
  becomes: (message: CardMessage, draft?: JsonObject) => void;
  unmount: () => void;
}

type Extra = Partial<Omit<CardViewProps, "message" | "send" | "now">> & {
  refusing?: ProblemWords;
  /** How the sending goes, for a test that decides when. */
  going?: Promise<void>;
  into?: HTMLElement;
};

export function show(message: CardMessage, { refusing, going, into, ...props }: Extra = {}): Shown {
  const sent: CardAction[] = [];
  const drafts: JsonObject[] = [];
  const view = (of: CardMessage, draft = props.draft) => (
    <CardView
      message={of}
      now={NOW}
      send={(action) => {
        sent.push(action);
        if (going !== undefined) return going;
        return refusing === undefined ? Promise.resolve() : Promise.reject(refusing);
      }}
      onDraft={(draft) => drafts.push(draft)}
      {...props}
      draft={draft}
    />
  );
  const drawn = render(view(message), into === undefined ? {} : { container: into });
  return {
    sent,
    drafts,
    user: userEvent.setup(),
    container: drawn.container as HTMLElement,
    becomes: (next, draft) => drawn.rerender(view(next, draft)),
    unmount: drawn.unmount,
  };
}

export const refusal: ProblemWords = {
  title: "No connection",
  detail: "The server could not be reached.",
  fix: "Try again when you are connected.",
  code: "unreachable",
};
