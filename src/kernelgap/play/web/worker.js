import { AnyKernel } from "./exact/floor.js";
import { Regression } from "./exact/regression.js";
import { cubeSpectrum } from "./exact/spectrum.js";
import { Theory, energiesOf } from "./exact/theory.js";
import { EARLY, EPOCHS, Trainer } from "./learn/trainer.js";
import { drawInputs, makeTarget } from "./learn/target.js";

/** Off the page's thread: training, and in a second worker all that is known about kernels. */
const WATCHED = 16000; // milliseconds that a course takes if one watches
const PACE = Math.log(EPOCHS / EARLY + 1) / WATCHED;
const TURN = 14; // milliseconds of training between two messages
const DENSE = 1.025; // errors are taken at each epoch that is so many times the one before

let trainer = null;
let running = false;
let fast = false;
let due = 0; // epochs
let evaluated = -1;
let last = 0;

function report(extra = {}) {
  const points = [];
  if (trainer.epoch >= evaluated * DENSE || trainer.finished || extra.now) {
    if (trainer.epoch !== evaluated) points.push(trainer.evaluate());
    evaluated = trainer.epoch;
  }
  const scatter = trainer.scatter();
  const state = { epoch: trainer.epoch, finished: trainer.finished, running, ...extra };
  postMessage({ what: "progress", ...state, points, scatter }, [scatter.out1.buffer, scatter.out.buffer]);
}

function turn() {
  if (!running) return;
  const start = performance.now();
  const ahead = Math.min(Math.log(due + EARLY) + (Math.min(start - last, 100) * PACE), Math.log(trainer.epoch + EARLY + 2) + 0.1);
  due = fast ? EPOCHS : Math.exp(ahead) - EARLY;
  last = start;
  let advanced = false;
  while (!trainer.finished && trainer.epoch + 1 <= due + 1e-9 && performance.now() - start < TURN) {
    trainer.advance();
    advanced = true;
    if (trainer.epoch >= evaluated * DENSE) break;
  }
  if (trainer.finished) running = false;
  if (advanced) report();
  setTimeout(turn, fast ? 0 : Math.max(0, 16 - (performance.now() - start)));
}

let known = {}; // about the kernel of the latest settings

function aboutKernel(settings) {
  const { d, k, block, alpha, beta, kernel } = settings;
  const key = JSON.stringify([d, k, block, alpha, beta, kernel]);
  if (known.key !== key) {
    const [target, spectrum] = [makeTarget(settings), cubeSpectrum(kernel, d)];
    known = { key, target, spectrum, theory: new Theory(spectrum, energiesOf(target)) };
  }
  return known;
}

const answers = {
  /** Data and networks for new settings. */
  start({ settings, given }) {
    running = false;
    trainer = new Trainer(settings, given);
    [due, evaluated] = [0, -1];
    const { F, H } = trainer.test;
    postMessage({ what: "ready", F: Float32Array.from(F), H: Float32Array.from(H), testPoints: trainer.test.G.length });
    report({ now: true });
  },

  run(options) {
    fast = options.fast;
    if (running || trainer.finished) return;
    running = true;
    due = Math.max(due, trainer.epoch);
    last = performance.now();
    turn();
  },

  pause() {
    running = false;
    report({ now: true });
  },

  step() {
    running = false;
    if (!trainer.finished) trainer.advance();
    report({ now: true });
  },

  /** The errors of so many epochs in the given orders: what tests compare with Python. */
  course({ settings, given, orders }) {
    const own = new Trainer(settings, given);
    const course = [own.evaluate()];
    for (const order of orders) {
      own.advance(Uint32Array.from(order));
      course.push(own.evaluate());
    }
    const weights = Object.fromEntries(own.networks.map((one) => [one.name, one.weights]));
    postMessage({ what: "course", course, weights });
  },

  /** A kernel's predicted curve with the floor under any kernel, and then its exact solution. */
  kernel({ settings, samples, ridges, X }) {
    const { target, spectrum, theory } = aboutKernel(settings);
    const floor = new AnyKernel(target);
    const curve = Array.from(samples, (n) => ({ n, risk: theory.best(n).risk, floor: floor.meanRisk(n) }));
    postMessage({ what: "curve", settings, curve });
    const regression = new Regression(target, spectrum, X ?? drawInputs(settings.d, settings.n, settings.seed).train);
    const [best, least] = [theory.best(settings.n).ridge, 1e-9 * spectrum.values[0]];
    const tried = Array.from(ridges ?? [0.1, 1, 10].map((factor) => factor * best), (ridge) => Math.max(ridge, least));
    const solved = regression.best(tried);
    postMessage({ what: "solved", settings, ...solved, predicted: theory.risk(settings.n, solved.ridge) });
  },

  /** What the kernel is predicted to need for a risk. */
  need({ settings, risk }) {
    postMessage({ what: "need", settings, risk, samples: aboutKernel(settings).theory.samplesFor(risk) });
  },
};

onmessage = ({ data }) => answers[data.do](data);
