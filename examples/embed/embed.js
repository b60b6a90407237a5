// Loads the elements from the Sayso server, and listens to what they tell the page.
const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8765";
const { connect } = await import(`${server}/elements/sayso.js`);

// Where the server asks who somebody is, your own backend hands out a token for the person who is signed in to you:
//   connect({ token: async () => (await fetch("/sayso-token")).text() });
connect({ server });

addEventListener("sayso-waiting", ({ detail }) => {
  document.querySelector("#count").textContent = detail.count > 0 ? `(${detail.count})` : "";
});
addEventListener("sayso-settled", ({ detail }) => console.info(`${detail.interaction_id} is ${detail.status}`));
