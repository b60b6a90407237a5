// <sayso-chat>: the chat named by `chat`, or else this browser's own with the agent named by `agent`.
import { lazyPart } from "@sayso/console/parts";
import { SaysoElement } from "./element.tsx";
import { emitFrom } from "./emit.ts";

// Loaded only on pages that have a chat.
const Conversation = lazyPart(() => import("./conversation.tsx"), (file) => file.Conversation);

const KEY = "sayso:chat:";

export class ChatElement extends SaysoElement {
  static readonly observedAttributes = ["chat", "agent"];

  /** Leave this browser's chat as it is on the server and start with an empty one. */
  startOver(): void {
    localStorage.removeItem(this.#key);
    this.removeAttribute("chat");
    this.attributeChangedCallback();
  }

  protected view() {
    const named = this.getAttribute("chat");
    const chatId = named ?? localStorage.getItem(this.#key);
    const agent = this.getAttribute("agent") ?? undefined;
    const emit = emitFrom(this);
    const onStarted = (id: string) => {
      if (named === null) localStorage.setItem(this.#key, id);
      emit.chat(id);
      this.attributeChangedCallback();
    };
    return <Conversation chatId={chatId} agent={agent} onStarted={onStarted} />;
  }

  get #key(): string {
    return KEY + (this.getAttribute("agent") ?? "");
  }
}
