// Which server the elements of a page ask; the console's own connection, pointed elsewhere.
export { connect, type ConnectOptions } from "@sayso/console/parts";
