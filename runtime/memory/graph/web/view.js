// Which part of the plane is seen, and what of it is chosen or found.

const canvas = document.getElementById("graph");
const pen = canvas.getContext("2d");
const view = { x: 0, y: 0, scale: 1, width: 1, height: 1 };
const state = { chosen: null, found: null, lit: null };
const LARGEST = 12;
let colours = {};
let fitted = true;
let waiting = false;

// The rectangle around everything.
const bounds = [...nodes, ...areas].reduce(
  (around, { x, y, radius }) => ({
    left: Math.min(around.left, x - radius), right: Math.max(around.right, x + radius),
    top: Math.min(around.top, y - radius), bottom: Math.max(around.bottom, y + radius),
  }),
  { left: -1, right: 1, top: -1, bottom: 1 },
);

function smallest() {
  return Math.min((view.width - 40) / (bounds.right - bounds.left), (view.height - 56) / (bounds.bottom - bounds.top));
}

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}

function resize() {
  const ratio = window.devicePixelRatio || 1;
  view.width = Math.max(1, canvas.clientWidth);
  view.height = Math.max(1, canvas.clientHeight);
  canvas.width = Math.round(view.width * ratio);
  canvas.height = Math.round(view.height * ratio);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  if (fitted) showAll();
  waiting = false;
  draw();
}

function showAll() {
  const [x, y] = [(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2];
  Object.assign(view, { x, y, scale: Math.min(smallest(), LARGEST / 3) });
  fitted = true;
  redraw();
}

// Zoom so that the point of the plane under (x, y) stays there.
function zoom(factor, x = view.width / 2, y = view.height / 2) {
  const scale = Math.min(LARGEST, Math.max(Math.min(view.scale, smallest() * 0.8), view.scale * factor));
  const [right, down] = [x - view.width / 2, y - view.height / 2];
  move(right * (1 - view.scale / scale), down * (1 - view.scale / scale));
  view.scale = scale;
}

function move(right, down) {
  view.x = Math.max(bounds.left, Math.min(bounds.right, view.x + right / view.scale));
  view.y = Math.max(bounds.top, Math.min(bounds.bottom, view.y + down / view.scale));
  fitted = false;
  redraw();
}

function onScreen(node) {
  return [(node.x - view.x) * view.scale + view.width / 2, (node.y - view.y) * view.scale + view.height / 2];
}

// Bring a node into the middle, near enough to see it among its neighbours.
function centre(node) {
  Object.assign(view, { x: node.x, y: node.y, scale: Math.max(view.scale, Math.min(LARGEST, 14 / node.radius)) });
  fitted = false;
  redraw();
}

function choose(node) {
  state.chosen = node;
  state.lit = node === null ? null : new Set([node, ...node.to, ...node.from]);
  tell(node);
  redraw();
}

// The node under a point of the canvas, or the nearest within a finger's breadth.
function nodeAt(x, y) {
  let best = null;
  let nearest = 8;
  for (const node of nodes) {
    if (!shown.has(node.kind)) continue;
    const [across, down] = onScreen(node);
    const away = Math.hypot(across - x, down - y) - node.radius * view.scale;
    if (away < nearest) [best, nearest] = [node, away];
  }
  return best;
}

// The nearest node in a direction, seen from the chosen one or from the middle.
function nodeToward(right, down) {
  const from = state.chosen ?? { x: view.x, y: view.y };
  let best = null;
  let nearest = Infinity;
  for (const node of nodes) {
    if (node === from || !shown.has(node.kind)) continue;
    const [across, below] = [node.x - from.x, node.y - from.y];
    const along = across * right + below * down;
    const aside = Math.abs(across * down) + Math.abs(below * right);
    if (state.chosen !== null && along <= aside * 0.2) continue;
    const away = state.chosen === null ? Math.hypot(across, below) : along + 2 * aside;
    if (away < nearest) [best, nearest] = [node, away];
  }
  return best;
}

function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "ink", "quiet", "area", "area-rule", "line", "article", "entry", "asset", "out", "into"]) {
    colours[name] = style.getPropertyValue(`--${name}`).trim();
  }
  colours.font = getComputedStyle(document.body).fontFamily;
}
