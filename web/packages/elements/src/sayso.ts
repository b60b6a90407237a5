// The one file that a page loads: defines <sayso-chat>, <sayso-inbox> and <sayso-card>, and says which server they ask.
import { connect } from "./connection.ts";
import { define } from "./element.tsx";
import { CardElement } from "./card.tsx";
import { ChatElement } from "./chat.tsx";
import { InboxElement } from "./inbox.tsx";

export { connect, type ConnectOptions } from "./connection.ts";
export { registerCard } from "@sayso/cards";

// Until the page says otherwise: the server that this file came from, and whoever it takes the reader for.
const here = import.meta.url;
connect({ server: new URL("..", here).href });

define("sayso-card", CardElement);
define("sayso-chat", ChatElement);
define("sayso-inbox", InboxElement);
