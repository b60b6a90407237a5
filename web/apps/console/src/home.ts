// Where this page's server is: the root of a host, or a path that a proxy or the application around it has given it.

// Our files lie one folder below. In one expression, vite would take it for the address of a file.
const here = import.meta.url;

/** "/", or "/tools/sayso/". */
export const home = import.meta.env.PROD ? new URL("..", here).pathname : "/";
