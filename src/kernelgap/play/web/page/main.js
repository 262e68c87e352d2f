import { AnyKernel } from "../exact/floor.js";
import { EPOCHS } from "../learn/trainer.js";
import { makeTarget } from "../learn/target.js";
import { CurveChart, ErrorChart, SAMPLES, ScatterChart } from "./charts.js";
import { Controls } from "./controls.js";
import { drawTarget, targetInWords } from "./drawing.js";
import { brief, count } from "./numbers.js";
import { reached, sentence } from "./sentence.js";
import { PRESETS, fromAddress, inPython, possible, presetOf, presetSettings, toAddress } from "./state.js";
import { showTable } from "./table.js";

const find = (id) => document.getElementById(id);
const CURVE = Array.from({ length: 61 }, (_, i) => Math.round(SAMPLES.low * (SAMPLES.high / SAMPLES.low) ** (i / 60)));
const SPOKEN = 6000; // milliseconds between two sentences that a screen reader reads
const program = URL.createObjectURL(new Blob([find("worker").textContent], { type: "text/javascript" }));

const errors = new ErrorChart(find("errors"));
const first = new ScatterChart(find("first"), "F(x)");
const second = new ScatterChart(find("second"), "H(x)");
const curves = new CurveChart(find("curve"));
const controls = new Controls(find("settings"), find("presets"), (name, value) => apply(possible({ ...view.settings, [name]: value })), (i) => apply(presetSettings(PRESETS[i])));

let view = {};
let learner = null;
let kernels = null;
let asked = 0; // timer of what the kernels are asked
let dirty = false;
let spokenAt = 0;

const floorOf = (settings) => new AnyKernel(makeTarget(settings));

/** Everything anew with these settings; what was running goes on running. */
function apply(settings, running = view.running ?? false) {
  const target = makeTarget(settings);
  const floor = floorOf(settings);
  const norm = settings.k * (settings.alpha ** 2 + settings.beta ** 2);
  view = { settings, floor: floor.meanRisk(settings.n), any: floor, family: Number(floor.size), line: target.threshold, norm, points: [], kernel: null, curve: null, need: null, running };
  const address = toAddress(settings);
  if (location.hash !== address) history.replaceState(null, "", address);
  controls.show(settings, presetOf(settings));
  drawTarget(find("target"), settings);
  find("words").textContent = targetInWords(settings);
  find("python").textContent = inPython(settings);
  first.setRange(settings.beta, 0);
  second.setRange(settings.alpha + settings.beta, settings.alpha > 0 ? settings.beta : 0);
  learner.postMessage({ do: "start", settings });
  if (running) learner.postMessage({ do: "run", fast: find("fast").checked });
  clearTimeout(asked);
  asked = setTimeout(askKernels, 150);
  changed();
}

/** In a worker of their own; one that is still busy with older settings is given up. */
function askKernels() {
  kernels?.terminate();
  kernels = new Worker(program);
  kernels.onmessage = ({ data }) => heard(data);
  kernels.postMessage({ do: "kernel", settings: view.settings, samples: CURVE });
}

const heardOf = {
  ready({ F, H, testPoints }) {
    const jitter = Float32Array.from({ length: 97 }, (_, i) => 2 * ((i * 0.6180339887) % 1) - 1);
    first.setTruth(F.map((value) => view.settings.beta * value), jitter);
    second.setTruth(H, jitter);
    find("points").textContent = count(testPoints);
  },
  progress({ epoch, finished, running, points, scatter }) {
    Object.assign(view, { epoch, finished, running, scatter });
    view.points.push(...points);
    askNeed();
  },
  curve: ({ curve }) => Object.assign(view, { curve }),
  solved: ({ risk, base, composite, ridge }) => Object.assign(view, { kernel: { risk, base, composite, ridge } }),
  need({ risk, samples }) {
    if (view.need?.risk === risk) view.need = { ...view.need, samples };
  },
};

function heard(data) {
  if (data.settings && toAddress(data.settings) !== toAddress(view.settings)) return; // of settings before
  heardOf[data.what]?.(data);
  changed();
}

/** The floor at once; what this kernel is predicted to need when its worker has found it. */
function askNeed() {
  const risk = reached({ point: view.points.at(-1), line: view.line });
  if (risk === null || view.need?.risk === risk) {
    if (risk === null) view.need = null;
    return;
  }
  view.need = { risk, floor: view.any.samplesFor(risk), samples: undefined };
  kernels?.postMessage({ do: "need", settings: view.settings, risk });
}

function changed() {
  if (!dirty) requestAnimationFrame(draw);
  dirty = true;
}

function draw() {
  dirty = false;
  const began = performance.now();
  const point = view.points.at(-1);
  errors.draw(view);
  curves.draw(view);
  if (view.scatter) {
    first.draw(view.scatter.out1);
    second.draw(view.scatter.out);
  }
  showTable(find("learners"), view, point);
  const text = sentence({ ...view, point });
  if (find("sentence").textContent !== text) find("sentence").textContent = text;
  find("epoch").textContent = count(view.epoch ?? 0);
  find("play").textContent = view.running ? "Pause" : view.finished ? "Start again" : "Start";
  find("play").dataset.running = String(view.running);
  find("step").disabled = Boolean(view.finished);
  speak(text, began);
  drawn.count += 1;
  drawn.milliseconds += performance.now() - began;
}

/** The sentence for screen readers: when something ends, else now and then. */
function speak(text, now) {
  const quiet = view.running && now - spokenAt < SPOKEN;
  if (quiet || find("spoken").textContent === text) return;
  spokenAt = now;
  find("spoken").textContent = text;
  find("errors").setAttribute("aria-label", `Test error over ${view.epoch ?? 0} of ${EPOCHS} epochs. ${text}`);
  const curve = view.curve && view.line > 0 ? view.curve.find((p) => p.risk < view.line) : null;
  const where = curve ? `The kernel is predicted to get under the line with about ${brief(curve.n)} samples.` : "";
  find("curve").setAttribute("aria-label", `Predicted risk of the kernel over the number of samples. ${where}`);
}

find("play").addEventListener("click", () => {
  if (view.finished) return apply(view.settings, true);
  learner.postMessage(view.running ? { do: "pause" } : { do: "run", fast: find("fast").checked });
  view.running = !view.running;
  return changed();
});
find("step").addEventListener("click", () => learner.postMessage({ do: "step" }));
find("reset").addEventListener("click", () => apply(view.settings, false));
find("fast").addEventListener("change", () => view.running && learner.postMessage({ do: "run", fast: find("fast").checked }));
addEventListener("hashchange", () => apply(fromAddress(location.hash)));

const drawn = { count: 0, milliseconds: 0 };
learner = new Worker(program);
learner.onmessage = ({ data }) => heard(data);
window.playground = { view: () => view, drawn, program, sentence, floorOf }; // for tests and the console

apply(fromAddress(location.hash));
