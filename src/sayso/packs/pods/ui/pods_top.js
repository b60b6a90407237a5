// What the pods use, the most first: against their limits where they have some, else against the largest of them.
const mebibytes = (size) => `${Math.round(size / 1048576).toLocaleString(locale)} Mi`;
const millicores = (cores) => `${Math.round(cores).toLocaleString(locale)}m`;

function bar(used, limit, largest, write) {
  const part = Math.min(1, used / (limit || largest || 1));
  const words = limit ? t("{used} of {limit}", { used: write(used), limit: write(limit) }) : write(used);
  const inner = el("b");
  inner.style.width = `${(100 * part).toFixed(1)}%`;
  return el("div", { className: `bar ${limit && part > 0.9 ? "hot" : ""}` }, el("i", { "aria-hidden": "true" }, inner), el("span", {}, words));
}

const largest = (pods, key) => Math.max(...pods.map((pod) => pod[key]));
const total = (pods, key) => pods.reduce((sum, pod) => sum + pod[key], 0);

showTable({
  title: "Pods by use",
  tool: "pods_top",
  sorted: "CPU",
  descending: true,
  words: (pod) => [pod.name, pod.node].join(" "),
  sum: (pods) => t("{cpu} CPU and {memory} together", {
    cpu: millicores(total(pods, "cpu_millicores")),
    memory: mebibytes(total(pods, "memory_bytes")),
  }),
  columns: [
    { head: "Name", value: (pod) => pod.name },
    { head: "Namespace", value: (pod) => pod.namespace },
    {
      head: "CPU",
      value: (pod) => pod.cpu_millicores,
      cell: (pod, pods) => bar(pod.cpu_millicores, pod.cpu_limit, largest(pods, "cpu_millicores"), millicores),
      first: "down",
    },
    {
      head: "Memory",
      value: (pod) => pod.memory_bytes,
      cell: (pod, pods) => bar(pod.memory_bytes, pod.memory_limit, largest(pods, "memory_bytes"), mebibytes),
      first: "down",
    },
    { head: "Node", value: (pod) => pod.node },
  ],
});
