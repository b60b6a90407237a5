// <sayso-inbox>: what waits for this person, over all chats or those of one agent.
import { lazyPart } from "@sayso/console/parts";
import { SaysoElement } from "./element.tsx";
import { emitFrom } from "./emit.ts";

// Loaded only on pages that have an inbox.
const Items = lazyPart(() => import("./items.tsx"), (file) => file.Items);

export class InboxElement extends SaysoElement {
  static readonly observedAttributes = ["agent", "mine"];

  protected view() {
    const agent = this.getAttribute("agent") ?? undefined;
    return <Items agent={agent} mine={this.hasAttribute("mine")} emit={emitFrom(this)} />;
  }
}
