// Draws what is seen: areas, lines, nodes, then as many labels as have room.

const MOST_LABELS = 250;
const WIDEST_LABEL = 170;

function draw() {
  pen.clearRect(0, 0, view.width, view.height);
  drawAreas();
  drawLines();
  const seen = nodes.filter((node) => shown.has(node.kind) && isSeen(node));
  const isLit = (node) => (state.lit === null || state.lit.has(node)) && (state.found === null || state.found.has(node) || state.lit?.has(node));
  for (const kind of ["entry", "asset", "article"]) {
    const ofKind = seen.filter((node) => node.kind === kind);
    pen.globalAlpha = 0.2;
    drawNodes(kind, ofKind.filter((node) => !isLit(node)));
    pen.globalAlpha = 1;
    drawNodes(kind, ofKind.filter(isLit));
  }
  if (state.chosen !== null && shown.has(state.chosen.kind)) drawHalo(state.chosen);
  drawLabels(seen.filter(isLit));
}

function isSeen({ x, y, radius }) {
  const room = radius + 4 / view.scale;
  return Math.abs(x - view.x) - room < view.width / 2 / view.scale && Math.abs(y - view.y) - room < view.height / 2 / view.scale;
}

function drawAreas() {
  pen.fillStyle = colours.area;
  pen.strokeStyle = colours["area-rule"];
  pen.lineWidth = 1;
  for (const area of areas) {
    const radius = area.radius * view.scale;
    if (radius < 3 || !isSeen(area)) continue;
    pen.beginPath();
    pen.arc(...onScreen(area), radius, 0, 2 * Math.PI);
    pen.fill();
    if (radius > 10) pen.stroke();
  }
}

function drawLines() {
  const chosen = state.chosen;
  pen.lineWidth = 1;
  pen.strokeStyle = colours.line;
  // The more lines there are, the fainter each: together they are to be a background.
  const crowd = Math.max(0.12, Math.min(1, 600 / (data.edges.length + 1)));
  pen.globalAlpha = (chosen === null && state.found === null ? 1 : 0.3) * Math.min(1, crowd * Math.max(1, view.scale * 2));
  strokeLines(function* () { for (const node of nodes) for (const other of node.to) yield [node, other]; });
  pen.globalAlpha = 1;
  if (chosen === null) return;
  pen.lineWidth = 2;
  pen.strokeStyle = colours.into;
  pen.setLineDash([5, 4]);
  strokeLines(function* () { for (const other of chosen.from) yield [other, chosen]; });
  pen.strokeStyle = colours.out;
  pen.setLineDash([]);
  strokeLines(function* () { for (const other of chosen.to) yield [chosen, other]; });
}

function strokeLines(pairs) {
  pen.beginPath();
  for (const [node, other] of pairs()) {
    if (!shown.has(node.kind) || !shown.has(other.kind)) continue;
    const [x, y] = onScreen(node);
    const [toX, toY] = onScreen(other);
    if (Math.max(x, toX) < 0 || Math.min(x, toX) > view.width || Math.max(y, toY) < 0 || Math.min(y, toY) > view.height) continue;
    pen.moveTo(x, y);
    pen.lineTo(toX, toY);
  }
  pen.stroke();
}

function drawNodes(kind, some) {
  pen.beginPath();
  for (const node of some) {
    const [x, y] = onScreen(node);
    const radius = Math.max(node.radius * view.scale, 0.9);
    if (kind === "asset" || radius < 1.5) {
      const half = radius * 0.86;
      pen.rect(x - half, y - half, 2 * half, 2 * half);
    } else {
      const edge = kind === "entry" ? radius * 0.8 : radius;
      pen.moveTo(x + edge, y);
      pen.arc(x, y, edge, 0, 2 * Math.PI);
    }
  }
  pen.fillStyle = kind === "entry" ? colours.paper : colours[kind];
  pen.fill();
  if (kind !== "entry") return;
  pen.strokeStyle = colours.entry;
  pen.lineWidth = Math.max(0.8, Math.min(5, view.scale * 1.8));
  pen.stroke();
}

function drawHalo(node) {
  pen.strokeStyle = colours.ink;
  pen.lineWidth = 2.5;
  pen.beginPath();
  pen.arc(...onScreen(node), Math.max(node.radius * view.scale, 2) + 5, 0, 2 * Math.PI);
  pen.stroke();
}

// Labels in the order of their weight; one that would cover another is left out.
function drawLabels(lit) {
  const taken = [];
  const few = state.lit !== null && state.lit.size <= 60;
  const weight = (node) => node === state.chosen ? 1e6 : (state.lit?.has(node) ? 1e3 : 0) + node.radius;
  pen.textAlign = "center";
  pen.lineJoin = "round";
  pen.strokeStyle = colours.paper;
  const named = lit
    .filter((node) => node === state.chosen || (few && node.radius * view.scale > 2)
      || node.radius * view.scale >= (node.kind === "article" ? 6.5 : 11))
    .sort((one, other) => weight(other) - weight(one) || one.number - other.number)
    .slice(0, 4 * MOST_LABELS);
  // Where there are few, no label covers another's disc.
  const discs = named.length > MOST_LABELS ? [] : named.map((node) => [node, boxAround(node)]);
  for (const node of named) {
    if (taken.length >= MOST_LABELS) break;
    const [x, y] = onScreen(node);
    const away = Math.max(node.radius * view.scale, 2);
    const others = discs.filter(([other]) => other !== node).map(([, box]) => box);
    label(node, x, y + away + 15, 12.5, colours.ink, taken, others)
      || label(node, x, y - away - 6, 12.5, colours.ink, taken, others)
      || (node === state.chosen && label(node, x, y + away + 15, 12.5, colours.ink, [], []));
  }
  for (const area of areas) {
    const radius = area.radius * view.scale;
    if (taken.length >= MOST_LABELS || radius < 24 || radius > view.width || !isSeen(area)) continue;
    const [x, y] = onScreen(area);
    label(area, x, y - radius + 4, 12, colours.quiet, taken, [], Math.max(70, 2 * radius));
  }
}

function boxAround(node) {
  const [x, y] = onScreen(node);
  const radius = node.radius * view.scale;
  return [x - radius, y - radius, x + radius, y + radius];
}

// Write a label where it covers none that is written and no other disc; whether it was written.
function label(thing, x, y, size, colour, taken, discs, widest = WIDEST_LABEL) {
  pen.font = `${size}px ${colours.font}`;
  thing.short ??= shortened(thing.label);
  thing.wide ??= pen.measureText(thing.short).width;
  const half = thing.wide / 2 + 3;
  const box = [x - half, y - size, x + half, y + 4];
  const covers = (other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3];
  if (thing.wide > widest || taken.some(covers) || discs.some(covers)) return false;
  taken.push(box);
  pen.lineWidth = 3.5;
  pen.strokeText(thing.short, x, y);
  pen.fillStyle = colour;
  pen.fillText(thing.short, x, y);
  return true;
}

// A label cut to the width that labels may have, set apart so that its direction is its own (Unicode, FSI and PDI).
function shortened(text) {
  const apart = (inner) => `\u2068${inner}\u2069`;
  let letters = Array.from(text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, " ")).slice(0, 80);
  const whole = letters.length === Array.from(text).length;
  if (whole && pen.measureText(apart(letters.join(""))).width <= WIDEST_LABEL) return apart(letters.join(""));
  while (letters.length > 1 && pen.measureText(apart(`${letters.join("")}…`)).width > WIDEST_LABEL) letters = letters.slice(0, -1);
  return apart(`${letters.join("")}…`);
}
