/** Axes, lines and points in an SVG element, in its own pixels. */
const SVG = "http://www.w3.org/2000/svg";

export function element(name, attributes = {}, parent = null, text = null) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  parent?.append(made);
  return made;
}

export class Chart {
  /** Axes are {log, low, high, ticks, label, format}; ``series`` has the class of each line or set of points. */
  constructor(svg, { x, y, series, left = 44, right = 12 }) {
    const unit = parseFloat(getComputedStyle(svg).fontSize) / 15; // larger on a projector
    Object.assign(this, { svg, x, y, unit, left: left * unit, right, top: 10, bottom: 40 * unit });
    this.frame = element("g", { class: "frame", "aria-hidden": "true" }, svg);
    this.paths = Object.fromEntries(series.map((name) => [name, element("path", { class: `line ${name}` }, svg)]));
    this.words = element("g", { class: "words", "aria-hidden": "true" }, svg);
    new ResizeObserver(() => this.resized()).observe(svg);
    this.resized();
  }

  resized() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (!width || (width === this.width && height === this.height)) return;
    Object.assign(this, { width, height });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.drawFrame();
    this.onResize?.();
  }

  setAxes({ x = this.x, y = this.y }) {
    Object.assign(this, { x, y });
    if (this.width) this.drawFrame();
  }

  place(axis, value) {
    const of = (v) => (axis.log ? Math.log(Math.max(v + (axis.shift ?? 0), 1e-300)) : v);
    return (of(value) - of(axis.low)) / (of(axis.high) - of(axis.low));
  }

  px(value) {
    return this.left + this.place(this.x, value) * (this.width - this.left - this.right);
  }

  py(value) {
    const share = Math.min(Math.max(this.place(this.y, value), 0), 1);
    return this.height - this.bottom - share * (this.height - this.top - this.bottom);
  }

  drawFrame() {
    this.frame.replaceChildren();
    const [floor, end] = [this.height - this.bottom, this.width - this.right];
    for (const tick of this.y.ticks) {
      const y = this.py(tick);
      element("line", { x1: this.left, x2: end, y1: y, y2: y, class: "grid" }, this.frame);
      element("text", { x: this.left - 6, y: y + 4, class: "tick end" }, this.frame, this.y.format(tick));
    }
    for (const tick of this.x.ticks) {
      const x = this.px(tick);
      element("line", { x1: x, x2: x, y1: this.top, y2: floor, class: "grid" }, this.frame);
      element("text", { x, y: floor + 16 * this.unit, class: "tick middle" }, this.frame, this.x.format(tick));
    }
    element("text", { x: (this.left + end) / 2, y: this.height - 5, class: "label middle" }, this.frame, this.x.label);
  }

  /** A line through [x, y] pairs. */
  line(name, pairs) {
    const text = pairs.map(([x, y], i) => `${i ? "L" : "M"}${this.px(x).toFixed(1)} ${this.py(y).toFixed(1)}`);
    this.paths[name].setAttribute("d", text.join(""));
  }

  /** Points, each a line of length 0 with round ends. */
  points(name, xs, ys) {
    let text = "";
    for (let i = 0; i < ys.length; i++) text += `M${this.px(xs[i]).toFixed(1)} ${this.py(ys[i]).toFixed(1)}h0`;
    this.paths[name].setAttribute("d", text);
  }

  /** Words beside lines, moved apart where they would overlap; each is {text, x, y, class, anchor}. */
  label(words) {
    this.words.replaceChildren();
    let before = -Infinity;
    for (const word of [...words].sort((a, b) => this.py(a.y) - this.py(b.y))) {
      before = Math.max(this.py(word.y) + (word.shift ?? 4), before + 15 * this.unit);
      element("text", { x: this.px(word.x) + (word.dx ?? 0), y: before, class: `name ${word.class} ${word.anchor ?? ""}` }, this.words, word.text);
    }
  }
}

/** 0.01, 0.1, 1, ... between two numbers. */
export function decades(low, high) {
  const ticks = [];
  for (let power = Math.ceil(Math.log10(low) - 1e-9); power <= Math.log10(high) + 1e-9; power++) ticks.push(Number(`1e${power}`));
  return ticks;
}
