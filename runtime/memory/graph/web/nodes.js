// The nodes of the graph, what they point to, and which of them a query finds.

const KINDS = ["article", "entry", "asset"];
const data = JSON.parse(document.getElementById("data").textContent);

const nodes = data.nodes.map(([kind, name, title, text, date, scope, lost, x, y, radius], number) => ({
  number, kind: KINDS[kind], name, title, text, date, scope, lost, x, y, radius, to: [], from: [],
  label: title || lastPart(name),
  sought: folded(`${name}\n${title}\n${text}`),
}));
for (let at = 0; at < data.edges.length; at += 2) {
  const [here, there] = [nodes[data.edges[at]], nodes[data.edges[at + 1]]];
  here.to.push(there);
  there.from.push(here);
}
const areas = data.areas.map(([name, x, y, radius]) => ({
  label: name === "/" ? said.loose : name || data.name, x, y, radius,
}));
const shown = new Set(KINDS);

function lastPart(name) {
  return name.replace(/\.md$/, "").match(/[^/]*\/?$/)[0] || name;
}

function folded(text) {
  return text.normalize("NFKC").toLowerCase();
}

// The nodes that hold every word of a query, those first whose title or name begins with it.
function findings(query) {
  const words = folded(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const rank = (node) => folded(node.label).startsWith(words[0]) || folded(lastPart(node.name)).startsWith(words[0]) ? 0 : 1;
  return nodes
    .filter((node) => shown.has(node.kind) && words.every((word) => node.sought.includes(word)))
    .map((node) => [rank(node), node])
    .sort(([a, one], [b, other]) => a - b || one.number - other.number)
    .map(([, node]) => node);
}
