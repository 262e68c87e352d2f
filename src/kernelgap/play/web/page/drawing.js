import { element } from "./chart.js";

const [WIDTH, ROW] = [320, 62];
const index = (number) => [...String(number)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");

/** The target as what it is: which coordinates enter F, which products enter G, and what comes out. */
export function drawTarget(svg, { d, k, block, alpha, beta }) {
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${3 * ROW}`);
  svg.replaceChildren();
  const at = (i, count) => (WIDTH * (i + 0.5)) / count;
  const [bottom, middle, top] = [3 * ROW - 16, 1.65 * ROW, 24];
  const lines = element("g", {}, svg);
  for (let j = 0; j < k; j++) {
    const x = at(j, k);
    for (let i = 0; i < block; i++) element("line", { x1: at(block * j + i, d), y1: bottom, x2: x, y2: middle, class: "tobase" }, lines);
    element("line", { x1: x, y1: middle, x2: WIDTH / 2, y2: top, class: alpha > 0 ? "tocomposite" : "tocomposite off" }, lines);
  }
  for (let i = 0; i < d; i++) {
    const used = i < block * k;
    element("circle", { cx: at(i, d), cy: bottom, r: used ? 4 : 2.5, class: used ? "coordinate used" : "coordinate" }, svg);
  }
  for (let j = 0; j < k; j++) node(svg, at(j, k), middle, `F${index(j + 1)}`, beta > 0 ? "base" : "base off");
  node(svg, WIDTH / 2, top, "G(F)", alpha > 0 ? "composite" : "composite off");
}

function node(svg, x, y, text, kind) {
  element("rect", { x: x - 21, y: y - 14, width: 42, height: 28, rx: 14, class: `node ${kind}` }, svg);
  element("text", { x, y: y + 4.5, class: `nodetext ${kind}` }, svg, text);
}

/** The same in words. */
export function targetInWords({ d, k, block }) {
  const product = (j) => Array.from({ length: block }, (_, i) => `x${index(block * j + i + 1)}`).join(" ");
  const products = Array.from({ length: k }, (_, j) => `F${index(j + 1)} = ${product(j)}`).join(", ");
  const all = Array.from({ length: k }, (_, j) => `F${index(j + 1)}`).join(" ");
  const rest = d > block * k ? ` The other ${d - block * k} of ${d} coordinates do not matter; no learner is told so.` : "";
  return `${products}. G(F) = ${all}, a product of ${block * k} coordinates, in each of ${k} outputs.${rest}`;
}
