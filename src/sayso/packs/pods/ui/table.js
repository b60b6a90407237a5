// A table of pods: what a list and what a ranking have in common. Foreign words come in as text alone, never as markup.
const FIRST_ROWS = 100;
const LIVE_MILLISECONDS = 5000;
const HEALTHS = { ok: "Running", waiting: "Waiting", failing: "Failing", done: "Completed" };

/** Make an element: its properties, then its children. */
function el(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-") || key === "role") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/**
 * Show the result of `tool`. A column is {head, value, cell?, number?, first?}: `value` is what it sorts by and `first` the order at
 * the first press; `extra` makes what stands under an opened row; `sum` what stands beside the count.
 */
function showTable({ title, tool, columns, sorted, descending = false, words, extra = null, hasHealth = false, sum = () => "" }) {
  const now = { pods: [], at: null, data: null, find: "", namespace: "", health: "", by: sorted, down: descending, all: false };
  const open = new Set();
  const told = new Map();
  let live = null;
  let isAsking = false;

  const heading = el("h1");
  const sample = el("span", { className: "sample", hidden: true });
  const time = el("p", { className: "quiet" });
  const refresh = el("button", { type: "button", className: "push", hidden: true, onclick: () => reload() });
  const liveBox = el("input", { type: "checkbox", onchange: () => setLive(liveBox.checked) });
  const liveWords = el("span");
  const liveLabel = el("label", { className: "live", hidden: true }, liveBox, liveWords);
  const find = el("input", { type: "search", oninput: () => { now.find = find.value.trim().toLowerCase(); draw(); } });
  const namespaces = el("select", { onchange: () => { now.namespace = namespaces.value; draw(); } });
  const tally = el("div", { className: "tally", role: "group", hidden: !hasHealth });
  const note = el("p", { className: "note", role: "status" });
  // What became of a deletion: no refresh takes it away.
  const outcome = el("p", { className: "note", role: "status", hidden: true });
  const heads = el("tr");
  const rows = el("tbody");
  const table = el("table", {}, el("thead", {}, heads), rows);
  const count = el("p", { className: "quiet foot", role: "status" });
  const more = el("button", { type: "button", onclick: () => { now.all = true; draw(); } });
  const tools = el("div", { className: "tools" }, find, namespaces);
  document.getElementById("app").append(
    el("div", { className: "head" }, heading, sample, time, refresh, liveLabel), tools, tally, note, outcome, table, count, more,
  );

  function say(text, kind = "", place = note) {
    place.textContent = text;
    place.className = `note ${kind}`;
    place.hidden = !text;
  }

  function take(result) {
    const data = result.structuredContent;
    if (!data || !Array.isArray(data.pods)) return say(textOf(result), "bad");
    Object.assign(now, { data, pods: data.pods, at: new Date(data.at) });
    say(data.problem || (data.is_cut ? t("There are more pods than are shown.") : ""), data.problem ? "warn" : "");
    draw();
  }

  async function reload() {
    if (isAsking) return;
    isAsking = true;
    try {
      take(await callTool(tool, host.given));
    } catch (error) {
      setLive(false);
      say(t("It could not be refreshed: {why}", { why: error.message }), "bad");
    } finally {
      isAsking = false;
    }
  }

  function setLive(isOn) {
    clearInterval(live);
    live = isOn ? setInterval(() => document.hidden || reload(), LIVE_MILLISECONDS) : null;
    liveBox.checked = isOn;
    if (isOn) reload();
  }

  function fits(pod) {
    return (!now.find || words(pod).toLowerCase().includes(now.find)) && (!now.namespace || pod.namespace === now.namespace);
  }

  function draw() {
    const { data } = now;
    heading.textContent = t(title);
    refresh.textContent = t("Refresh");
    liveWords.textContent = t("Live, every 5 seconds");
    refresh.hidden = liveLabel.hidden = !host.canCall || data === null;
    find.placeholder = t("Name, node or status");
    find.setAttribute("aria-label", t("Find"));
    namespaces.setAttribute("aria-label", t("Namespace"));
    tools.hidden = table.hidden = !now.pods.length;
    more.hidden = true;
    if (data === null) return;
    sample.textContent = t("Sample cluster, made up");
    sample.hidden = !data.is_sample;
    const at = now.at.toLocaleTimeString(locale);
    time.textContent = `${data.is_sample ? "" : `${data.cluster} · `}${t("As of {time}", { time: at })}`;
    drawNamespaces();
    const near = now.pods.filter(fits);
    drawTally(near);
    drawHeads();
    const found = near.filter((pod) => !now.health || pod.health === now.health).sort(inOrder);
    const shown = now.all ? found : found.slice(0, FIRST_ROWS);
    keepingFocus(() => rows.replaceChildren(...shown.flatMap(row)));
    const said = { shown: found.length, count: now.pods.length };
    const sums = sum(found);
    const some = found.length ? t("{shown} of {count} pods", said) + (sums && ` · ${sums}`) : t("No pod fits.");
    count.textContent = now.pods.length ? some : data.problem ? "" : t("There are no pods here.");
    more.textContent = t("Show all {count}", { count: found.length });
    more.hidden = shown.length === found.length;
  }

  function drawNamespaces() {
    const names = [...new Set(now.pods.map((pod) => pod.namespace))].sort();
    const known = [...namespaces.options].map((option) => option.value).join();
    if (known === ["", ...names].join() && namespaces.options[0].text === t("All namespaces")) return;
    if (!names.includes(now.namespace)) now.namespace = "";
    namespaces.replaceChildren(...["", ...names].map((name) => el("option", { value: name, text: name || t("All namespaces") })));
    namespaces.value = now.namespace;
  }

  function drawTally(pods) {
    if (!hasHealth) return;
    tally.setAttribute("aria-label", t("Status"));
    const kinds = ["", ...Object.keys(HEALTHS)].map((health) => {
      const many = health ? pods.filter((pod) => pod.health === health).length : pods.length;
      if (health && !many && now.health !== health) return null;
      const press = () => { now.health = health; draw(); };
      const label = `${t(HEALTHS[health] || "All")} ${many}`;
      return el("button", { type: "button", "aria-pressed": String(now.health === health), "data-key": `health ${health}`, onclick: press }, label);
    });
    keepingFocus(() => tally.replaceChildren(...kinds.filter((kind) => kind !== null)));
  }

  function drawHeads() {
    const made = columns.map((column) => {
      const order = now.by === column.head ? (now.down ? "descending" : "ascending") : "none";
      const press = () => {
        now.down = now.by === column.head ? !now.down : column.first === "down";
        now.by = column.head;
        draw();
      };
      const button = el("button", { type: "button", "data-key": `sort ${column.head}`, onclick: press }, t(column.head));
      return el("th", { scope: "col", className: column.number ? "n" : "", "aria-sort": order }, button);
    });
    keepingFocus(() => heads.replaceChildren(...made));
  }

  function inOrder(one, other) {
    const { value } = columns.find((column) => column.head === now.by);
    const [a, b] = [value(one), value(other)];
    const order = typeof a === "string" ? a.localeCompare(b, locale, { numeric: true }) : a - b;
    return (now.down ? -order : order) || keyOf(one).localeCompare(keyOf(other));
  }

  function row(pod) {
    const key = keyOf(pod);
    const isOpen = open.has(key);
    const cells = columns.map((column, at) => {
      const inside = column.cell ? column.cell(pod, now.pods) : String(column.value(pod));
      const cell = el("td", { className: column.number ? "n" : "" });
      if (at > 0) cell.setAttribute("data-head", t(column.head));
      if (at > 0 || extra === null) cell.append(inside);
      else cell.append(el("button", { type: "button", className: "name", "aria-expanded": String(isOpen), "data-key": `open ${key}`, onclick: () => turn(key) }, inside));
      return cell;
    });
    const line = el("tr", {}, ...cells);
    if (!isOpen || extra === null) return [line];
    const inside = extra(pod, { told: told.get(key), onDelete: () => remove(pod) });
    return [line, el("tr", { className: "detail" }, el("td", { colSpan: columns.length }, inside))];
  }

  function turn(key) {
    if (!open.delete(key)) open.add(key);
    draw();
  }

  /** Ask for a deletion. A person decides on it elsewhere, so the answer may take days. */
  async function remove(pod) {
    const key = keyOf(pod);
    told.set(key, t("Asked. Nothing is deleted before a person has said yes."));
    say("", "", outcome);
    draw();
    try {
      const { namespace, name, uid } = pod;
      say(textOf(await callTool("pods_delete", { namespace, name, uid })), "", outcome);
      await reload();
    } catch (error) {
      say(t("Not deleted: {why}", { why: error.message }), "bad", outcome);
    } finally {
      told.delete(key);
      draw();
    }
  }

  host.onResult = take;
  host.onProblem = (words) => say(words, "bad");
  host.onContext = draw;
  host.onEnd = () => setLive(false);
  say(t("Waiting for the pods…"));
  draw();
  void connect();
}

const keyOf = (pod) => `${pod.namespace}/${pod.name}`;

/** What is drawn anew keeps the focus where it was. */
function keepingFocus(redraw) {
  const key = document.activeElement?.getAttribute("data-key");
  redraw();
  if (key) [...document.querySelectorAll("[data-key]")].find((one) => one.getAttribute("data-key") === key)?.focus();
}
