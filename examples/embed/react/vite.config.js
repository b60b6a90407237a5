// The page is yours; what begins with /api goes on to the Sayso server.
const sayso = "http://127.0.0.1:8765";

export default {
  server: { proxy: { "/api": { target: sayso, headers: { origin: sayso } } } },
};
