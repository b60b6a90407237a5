// The list of pods: how each stands, what it is made of, and a way to have it deleted.
const AGES = [["d", 86400], ["h", 3600], ["m", 60]];

/** As kubectl writes it: "45s", "12m", "5h", "3d". */
function age(pod) {
  const seconds = Math.max(0, Math.floor((Date.now() - new Date(pod.created)) / 1000));
  const found = AGES.find(([, length]) => seconds >= 2 * length);
  return found ? `${Math.floor(seconds / found[1])}${found[0]}` : `${seconds}s`;
}

function details(pod, { told, onDelete }) {
  const facts = [
    ["Why", pod.message],
    ["Made by", pod.owner.replace("/", " ") || t("nothing")],
    ["Node", pod.node || t("none")],
    ["Address", pod.ip || t("none")],
    ["UID", pod.uid],
    ...pod.containers.map((one) => [
      "Container",
      `${one.name} · ${one.image} · ${t("{state}, {restarts} restarts", one)}`,
    ]),
  ].filter(([, value]) => value);
  const list = el("dl", {}, ...facts.flatMap(([name, value]) => [el("dt", {}, t(name)), el("dd", {}, value)]));
  const isAsked = told !== undefined;
  const press = { type: "button", className: "delete", disabled: isAsked, "aria-label": t("Delete {name}", pod), onclick: onDelete };
  const button = host.canCall ? el("button", press, t("Delete…")) : null;
  return el("div", {}, list, button, isAsked ? el("p", { className: "quiet" }, told) : null);
}

showTable({
  title: "Pods",
  tool: "pods_list",
  hasHealth: true,
  sorted: "Namespace",
  words: (pod) => [pod.name, pod.node, pod.status, pod.owner].join(" "),
  extra: details,
  columns: [
    { head: "Name", value: (pod) => pod.name },
    { head: "Namespace", value: (pod) => pod.namespace },
    { head: "Status", value: (pod) => pod.status, cell: (pod) => el("span", { className: `state ${pod.health}` }, pod.status) },
    { head: "Ready", value: (pod) => pod.ready, number: true },
    { head: "Restarts", value: (pod) => pod.restarts, number: true, first: "down" },
    { head: "Age", value: (pod) => Date.now() - new Date(pod.created), cell: age, number: true },
    { head: "Node", value: (pod) => pod.node },
  ],
});
