// The panel: what a query finds, and what is known of the chosen node. Texts of the store are only ever text.

const LISTED = 40;
const query = document.getElementById("query");
const hits = document.getElementById("hits");

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) {
    made.textContent = text;
    made.dir = "auto";
  }
  return made;
}

// Fill a list with buttons that choose a node, as many as are read at once, and one for the rest.
function list(into, some, from = 0) {
  for (const node of some.slice(from, from + LISTED)) {
    const button = element("button");
    button.type = "button";
    const mark = element("span", `kind ${node.kind}`);
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", said[node.kind]);
    button.append(mark, element("span", "title", node.label));
    if (node.label !== node.name) button.append(element("span", "path", node.name));
    button.addEventListener("click", () => {
      centre(node);
      choose(node);
      document.querySelector("#chosen h2").focus();
    });
    const item = element("li");
    item.append(button);
    into.append(item);
  }
  if (some.length <= from + LISTED) return;
  const more = element("button", "more", said.more(some.length - from - LISTED));
  more.type = "button";
  const item = element("li");
  more.addEventListener("click", () => {
    item.remove();
    list(into, some, from + LISTED);
    into.children[from + LISTED].querySelector("button").focus();
  });
  item.append(more);
  into.append(item);
}

function tell(node) {
  const section = document.getElementById("chosen");
  section.replaceChildren();
  hits.hidden = node !== null;
  if (node === null) {
    section.append(element("p", "quiet", nodes.length === 0 ? said.empty : said.choose));
    return;
  }
  const kind = element("p", "quiet", `${said[node.kind]}${node.date ? ` · ${node.date}` : ""}`);
  const heading = element("h2", "", node.label);
  heading.tabIndex = -1;
  section.append(kind, heading, element("p", "path", node.name));
  section.parentElement.scrollTop = 0;
  if (node.scope === "rule") section.append(element("p", "quiet", said.rule));
  if (node.kind === "article" && !node.text) section.append(element("p", "quiet", said.noCapsule));
  if (node.text) section.append(element("p", "text", node.text));
  for (const [words, some, id] of [[said.to, node.to, "to"], [said.from, node.from, "from"]]) {
    const entries = element("ul");
    entries.id = id;
    section.append(element("h3", "", words(some.length)));
    if (some.length === 0) section.append(element("p", "quiet", said.nothing));
    list(entries, some);
    section.append(entries);
  }
  if (node.lost.length === 0) return;
  const lost = element("ul");
  lost.id = "lost";
  for (const target of node.lost) lost.append(element("li", "path", target));
  section.append(element("h3", "", said.lost), lost);
}

function search() {
  const found = findings(query.value);
  const asked = query.value.trim() !== "";
  state.found = asked ? new Set(found) : null;
  document.getElementById("found").textContent = asked ? said.found(found.length) : "";
  hits.replaceChildren();
  list(hits, found);
  hits.hidden = false;
  redraw();
}
