// The one file that a page loads: defines <sayso-chat>, <sayso-inbox> and <sayso-card> and sets their default server.
import { connect } from "./connection.ts";
import { define } from "./element.tsx";
import { CardElement } from "./card.tsx";
import { ChatElement } from "./chat.tsx";
import { InboxElement } from "./inbox.tsx";

export { connect, type ConnectOptions } from "./connection.ts";
export { registerCard } from "@sayso/cards";

// Default until the page calls connect(): the server that this file came from, with the browser's session.
const here = import.meta.url;
connect({ server: new URL("..", here).href });

define("sayso-card", CardElement);
define("sayso-chat", ChatElement);
define("sayso-inbox", InboxElement);
