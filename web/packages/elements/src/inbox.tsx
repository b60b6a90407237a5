// <sayso-inbox>: what waits for this person, over all chats or those of one agent.
import { lazyPart } from "@sayso/console/parts";
import { SaysoElement } from "./element.tsx";
import { tellFrom } from "./tell.ts";

// As with a chat: fetched where one stands.
const Items = lazyPart(() => import("./items.tsx"), (file) => file.Items);

export class InboxElement extends SaysoElement {
  static readonly observedAttributes = ["agent", "mine"];

  protected view() {
    const agent = this.getAttribute("agent") ?? undefined;
    return <Items agent={agent} mine={this.hasAttribute("mine")} tell={tellFrom(this)} />;
  }
}
