// <sayso-chat>: the chat named by `chat`, or else this browser's own with the agent named by `agent`.
import { lazyPart } from "@sayso/console/parts";
import { SaysoElement } from "./element.tsx";
import { tellFrom } from "./tell.ts";

// A page may well have an inbox and no chat, so a chat is fetched where one stands.
const Conversation = lazyPart(() => import("./conversation.tsx"), (file) => file.Conversation);

const KEY = "sayso:chat:";

export class ChatElement extends SaysoElement {
  static readonly observedAttributes = ["chat", "agent"];

  /** Leaves the chat of this browser as it is on the server, and begins with an empty one. */
  startOver(): void {
    localStorage.removeItem(this.#key);
    this.removeAttribute("chat");
    this.attributeChangedCallback();
  }

  protected view() {
    const named = this.getAttribute("chat");
    const chatId = named ?? localStorage.getItem(this.#key);
    const agent = this.getAttribute("agent") ?? undefined;
    const tell = tellFrom(this);
    const begun = (id: string) => {
      if (named === null) localStorage.setItem(this.#key, id);
      tell.chat(id);
      this.attributeChangedCallback();
    };
    return <Conversation chatId={chatId} agent={agent} begun={begun} />;
  }

  get #key(): string {
    return KEY + (this.getAttribute("agent") ?? "");
  }
}
