// Puts one element into the page, as the address says: ?server=…&tag=sayso-card&interaction=…&token=…
const asked = new URLSearchParams(location.search);
const { connect } = await import(`${asked.get("server")}/elements/sayso.js`);
if (asked.has("token")) connect({ token: async () => asked.get("token") });

window.told = [];
for (const name of ["sayso-settled", "sayso-chat", "sayso-waiting"]) {
  addEventListener(name, (event) => window.told.push([name, event.detail]));
}

// A page that patches what its guests might rely on.
Element.prototype.remove_all = Array.prototype.extra = () => undefined;

const element = document.createElement(asked.get("tag"));
for (const [name, value] of asked) if (!["server", "tag", "token"].includes(name)) element.setAttribute(name, value);
document.querySelector("#place").append(element);
