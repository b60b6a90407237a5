// The elements use the console's connection, pointed at the page's choice of server.
export { connect, type ConnectOptions } from "@sayso/console/parts";
