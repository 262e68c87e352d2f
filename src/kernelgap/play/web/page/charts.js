import { EPOCHS, EARLY } from "../learn/trainer.js";
import { Chart, decades } from "./chart.js";
import { brief } from "./numbers.js";

const plain = (value) => (value >= 1e4 ? `10${superscript(Math.round(Math.log10(value)))}` : String(value));
const superscript = (whole) => [...String(whole)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
const EPOCH_AXIS = { log: true, shift: EARLY, low: 0, high: EPOCHS, ticks: [0, 3, 10, 30, 100, 300, 800], label: "epochs (passes over the sample)", format: String };
export const SAMPLES = { low: 10, high: 1e7 };
const LEAST = 1e-3;

const errorAxis = (most) => ({ log: true, low: LEAST, high: most, ticks: decades(LEAST, most), label: "", format: plain });

/** The chart with an axis that reaches what a silent learner has. */
function fitted(chart, { norm }) {
  const high = 4 * Math.max(1, norm);
  if (chart.y.high !== high) chart.setAxes({ y: errorAxis(high) });
  return chart;
}

const visible = (pairs) => pairs.filter(([, y]) => Number.isFinite(y));

/** Test errors of all learners over the epochs, with the line and the floor. */
export class ErrorChart {
  constructor(svg) {
    this.chart = new Chart(svg, { x: EPOCH_AXIS, y: errorAxis(10), series: ["floor", "threshold", "kernel", "twolayer", "resnet"] });
    this.chart.onResize = () => this.view && this.draw(this.view);
  }

  draw(view) {
    this.view = view;
    const chart = fitted(this.chart, view);
    const across = (y) => (y === null || y === undefined || !(y > 0) ? [] : [[0, y], [EPOCHS, y]]);
    chart.line("threshold", across(view.line));
    chart.line("floor", across(view.floor));
    chart.line("kernel", across(view.kernel?.risk));
    chart.line("resnet", visible(view.points.map((p) => [p.epoch, p["3resnet"].error])));
    chart.line("twolayer", visible(view.points.map((p) => [p.epoch, p["2layer"].error])));
    const last = view.points.at(-1);
    const words = [];
    if (view.line > 0) words.push({ text: view.settings.beta > 0 ? "the line: F known, G(F) not" : "the line: nothing known", x: 0, dx: 6, y: view.line, class: "threshold", shift: 16 });
    if (view.kernel) words.push({ text: `kernel ${brief(view.kernel.risk)}`, x: EPOCHS, dx: -4, y: view.kernel.risk, class: "kernel", anchor: "end", shift: -6 });
    if (last?.epoch > 0) {
      const side = last.epoch > 60 ? { anchor: "end", dx: -8 } : { dx: 8 };
      words.push({ text: `ResNet ${brief(last["3resnet"].error)}`, x: last.epoch, y: last["3resnet"].error, class: "resnet", ...side, shift: 18 });
      words.push({ text: `two-layer ${brief(last["2layer"].error)}`, x: last.epoch, y: last["2layer"].error, class: "twolayer", ...side, shift: -8 });
    }
    chart.label(words);
  }
}

/** Outputs against what they should be: the few values of F or H become columns of points. */
export class ScatterChart {
  constructor(svg, label) {
    const axis = { low: -1, high: 1, ticks: [], label, format: brief };
    this.chart = new Chart(svg, { x: axis, y: { ...axis, label: "" }, series: ["diagonal", "baseonly", "cloud"], left: 32 });
    this.chart.onResize = () => this.values && this.show(this.values);
  }

  setRange(most, alone) {
    const high = 1.6 * Math.max(most, 0.25);
    const ticks = most < 0.25 ? [-0.2, 0, 0.2] : most < 0.7 ? [-0.5, 0, 0.5] : [-1, 0, 1];
    const axis = { low: -high, high, ticks, format: brief };
    this.chart.setAxes({ x: { ...this.chart.x, ...axis }, y: { ...this.chart.y, ...axis } });
    this.chart.line("diagonal", [[-high, -high], [high, high]]);
    this.chart.line("baseonly", alone > 0 ? [[-high, -alone], [0, -alone], [0, alone], [high, alone]] : []);
    this.range = [most, alone];
  }

  setTruth(truth, jitter) {
    const spread = 0.05 * this.chart.x.high;
    this.truth = truth.map((value, i) => value + spread * jitter[i % jitter.length]);
  }

  draw(values) {
    this.values = values;
    this.chart.points("cloud", this.truth, values);
  }

  show(values) {
    this.setRange(...this.range);
    this.draw(values);
  }
}

/** The kernel's predicted risk and the floor under all kernels over N, with what was reached. */
export class CurveChart {
  constructor(svg) {
    const x = { log: true, ...SAMPLES, ticks: decades(SAMPLES.low, SAMPLES.high), label: "training samples N", format: plain };
    this.chart = new Chart(svg, { x, y: errorAxis(10), series: ["floor", "threshold", "kernel", "kernelnow", "twolayernow", "resnetnow"] });
    this.chart.onResize = () => this.view && this.draw(this.view);
  }

  draw(view) {
    this.view = view;
    const chart = fitted(this.chart, view);
    const { n } = view.settings;
    const curve = view.curve ?? [];
    chart.line("threshold", view.line > 0 ? [[SAMPLES.low, view.line], [SAMPLES.high, view.line]] : []);
    chart.line("kernel", curve.filter((p, i) => i === 0 || curve[i - 1].risk > LEAST).map((p) => [p.n, p.risk]));
    chart.line("floor", floorLine(view));
    const last = view.points.at(-1);
    const dot = (name, y) => chart.points(name, [n], y > 0 ? [y] : []);
    dot("kernelnow", view.kernel?.risk);
    dot("twolayernow", last?.["2layer"].error);
    dot("resnetnow", last?.["3resnet"].error);
    const words = [];
    if (view.line > 0 && view.family > 100) words.push({ text: "floor under any kernel", x: Math.min(view.family, SAMPLES.high), dx: -8, y: LEAST * 2.2, class: "floor", anchor: "end" });
    if (curve.length) words.push({ text: "kernel, predicted", x: SAMPLES.high, dx: -4, y: chart.y.high * 0.8, class: "kernel", anchor: "end", shift: 8 });
    if (last) words.push({ text: "ResNet", x: n, dx: 9, y: last["3resnet"].error, class: "resnet" });
    chart.label(words);
  }
}

/** k alpha^2 (1 - n / C), down to where the axis ends. */
function floorLine({ line, family }) {
  if (!(line > 0)) return [];
  const ends = Math.min(SAMPLES.high, family * (1 - LEAST / line));
  const shares = Array.from({ length: 80 }, (_, i) => (i < 40 ? SAMPLES.low / ends + (i / 40) * 0.5 : 1 - 0.5 ** ((i - 39) / 4 + 1)));
  return [...shares.filter((share) => share < 1).map((share) => ends * share), ends].map((n) => [n, Math.max(line * (1 - n / family), LEAST)]);
}
