// Pointer, wheel and keyboard; then the first picture.

const pointers = new Map();
let moved = 0;

function place(event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  if (pointers.size === 0) moved = 0;
  pointers.set(event.pointerId, place(event));
});
canvas.addEventListener("pointermove", (event) => {
  const [x, y] = place(event);
  const before = pointers.get(event.pointerId);
  if (before === undefined) {
    canvas.classList.toggle("on", nodeAt(x, y) !== null);
    return;
  }
  const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
  moved += Math.hypot(x - before[0], y - before[1]);
  pointers.set(event.pointerId, [x, y]);
  if (other === undefined) {
    if (moved > 4) move(before[0] - x, before[1] - y);
  } else {
    const apart = ([across, down]) => Math.max(1, Math.hypot(across - other[0], down - other[1]));
    zoom(apart([x, y]) / apart(before), (x + other[0]) / 2, (y + other[1]) / 2);
  }
});
canvas.addEventListener("pointerup", (event) => {
  if (pointers.size === 1 && moved <= 4) choose(nodeAt(...place(event)));
  pointers.delete(event.pointerId);
});
canvas.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  const lines = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 16;
  zoom(Math.exp(-event.deltaY * lines / 400), ...place(event));
}, { passive: false });

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

canvas.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const arrow = ARROWS[event.key];
  if (arrow && event.shiftKey) move(arrow[0] * 60, arrow[1] * 60);
  else if (arrow) go(nodeToward(...arrow));
  else if (event.key === "+" || event.key === "=") zoom(1.4);
  else if (event.key === "-") zoom(1 / 1.4);
  else if (event.key === "0") showAll();
  else return;
  event.preventDefault();
});

function go(node) {
  if (node === null) return;
  choose(node);
  const [x, y] = onScreen(node);
  if (x < 40 || y < 40 || x > view.width - 40 || y > view.height - 40 || node.radius * view.scale < 4) centre(node);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    if (query.value !== "" && document.activeElement === query) { query.value = ""; search(); }
    else choose(null);
  } else if (event.key === "/" && document.activeElement !== query) {
    query.focus();
    event.preventDefault();
  }
});

query.addEventListener("input", search);
query.addEventListener("focus", () => { hits.hidden = false; });
query.addEventListener("keydown", (event) => {
  const first = document.querySelector("#hits button");
  if (event.isComposing || first === null) return;
  if (event.key === "Enter") first.click();
  else if (event.key === "ArrowDown") first.focus();
  else return;
  event.preventDefault();
});
document.querySelector("aside").addEventListener("keydown", (event) => {
  const buttons = [...document.querySelectorAll("#hits:not([hidden]) button, #chosen button")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const at = buttons.indexOf(document.activeElement);
  if (step === undefined || at < 0) return;
  (buttons[at + step] ?? (step < 0 ? query : buttons[at])).focus();
  event.preventDefault();
});

const counts = Object.fromEntries(KINDS.map((kind) => [kind, nodes.filter((node) => node.kind === kind).length]));
for (const [kind, word] of [["article", said.articles], ["entry", said.entries], ["asset", said.assets]]) {
  const box = element("input");
  Object.assign(box, { type: "checkbox", checked: true, name: kind });
  box.addEventListener("change", () => {
    if (box.checked) shown.add(kind); else shown.delete(kind);
    search();
    hits.hidden = state.chosen !== null;
  });
  const made = element("label");
  made.append(box, element("span", `kind ${kind}`), element("span", "", `${counts[kind]} ${word}`));
  document.getElementById("kinds").append(made);
}
for (const [sign, word, act] of [["−", said.wider, () => zoom(1 / 1.4)], ["+", said.closer, () => zoom(1.4)], ["⤢", said.all, showAll]]) {
  const button = element("button", "", sign);
  Object.assign(button, { type: "button", title: word, ariaLabel: word });
  button.addEventListener("click", act);
  document.getElementById("zoom").append(button);
}

document.getElementById("name").textContent = data.name;
document.getElementById("keys").textContent = said.keys;
Object.assign(query, { placeholder: said.search, ariaLabel: said.search });
canvas.ariaLabel = said.graph(counts.article, counts.entry, counts.asset);
readColours();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); redraw(); });
new ResizeObserver(resize).observe(canvas);
tell(null);
