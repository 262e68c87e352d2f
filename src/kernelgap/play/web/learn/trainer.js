import { Network, initialWeights } from "./network.js";
import { Random } from "./random.js";
import { drawInputs, labels, makeTarget, signals } from "./target.js";

export const EPOCHS = 800;
export const EARLY = 5; // epochs are drawn, and pass, evenly in the logarithm of (epoch + EARLY)
export const SCHEDULE = { batch: 50, momentum: 0.9, dropAt: 0.5, drop: 10 };
export const NAMES = ["3resnet", "2layer"];
export const SHOWN = 150; // test points in the scatter plots
const REFERENCE_DECAY = 0.0375; // divided by sqrt(width), as the estimators do

export const decayOf = (width) => REFERENCE_DECAY / Math.sqrt(width);

/** Data and networks of some settings; ``given`` may replace inputs, weights and the first epoch. */
export class Trainer {
  constructor(settings, given = {}) {
    const { d, k, n, width, seed } = settings;
    this.settings = settings;
    this.target = makeTarget(settings);
    const inputs = { ...drawInputs(d, n, seed), ...given.inputs };
    this.X = inputs.train;
    this.Y = labels(this.target, signals(this.target, this.X));
    this.test = { X: inputs.test, ...signals(this.target, inputs.test) };
    this.test.H = labels(this.target, this.test);
    this.networks = NAMES.map((name) => {
      const weights = given.weights?.[name] ?? initialWeights(name, d, k, width, new Random(seed, name));
      return new Network(name, d, k, weights);
    });
    this.rate = settings.rate;
    this.decay = decayOf(width);
    this.batch = Math.min(SCHEDULE.batch, n);
    this.epoch = given.epoch ?? 0;
    this.order = new Random(seed, "order");
  }

  /** One pass over the sample; a last smaller batch takes what is left. */
  advance(order = this.order.permutation(this.X.length / this.settings.d)) {
    const rate = this.epoch >= SCHEDULE.dropAt * EPOCHS ? this.rate / SCHEDULE.drop : this.rate;
    const step = { rate, decay: this.decay, momentum: SCHEDULE.momentum };
    for (let first = 0; first < order.length; first += this.batch) {
      const rows = order.subarray(first, first + this.batch);
      for (const network of this.networks) network.step(this.X, this.Y, rows, step);
    }
    this.epoch += 1;
  }

  get finished() {
    return this.epoch >= EPOCHS;
  }

  /** For each network its test error, and the shares of F and of G(F) that its output holds. */
  evaluate() {
    return { epoch: this.epoch, ...Object.fromEntries(this.networks.map((one) => [one.name, this.evaluateOne(one)])) };
  }

  evaluateOne(network) {
    const { d, k, alpha, beta } = this.target;
    const { X, F, G, H } = this.test;
    const count = G.length;
    let [error, ofBase, ofComposite, distance] = [0, 0, 0, 0];
    for (let row = 0; row < count; row++) {
      network.forward(X, row * d);
      for (let j = 0; j < k; j++) {
        const [at, out] = [row * k + j, network.out[j]];
        error += (out - H[at]) ** 2;
        ofBase += out * F[at];
        ofComposite += out * G[row];
        distance += (network.out1[j] - beta * F[at]) ** 2;
      }
    }
    const share = (sum, strength) => (strength > 0 ? sum / (count * k * strength) : null);
    return {
      error: error / count,
      base: share(ofBase, beta),
      composite: share(ofComposite, alpha),
      distance: network.residual ? distance / count : null,
    };
  }

  /** out1 and out of the ResNet at the first test points. */
  scatter() {
    const [resnet] = this.networks;
    const { d, k } = this.target;
    const count = Math.min(SHOWN, this.test.G.length);
    const [out1, out] = [new Float32Array(count * k), new Float32Array(count * k)];
    for (let row = 0; row < count; row++) {
      resnet.forward(this.test.X, row * d);
      out1.set(resnet.out1, row * k);
      out.set(resnet.out, row * k);
    }
    return { out1, out };
  }
}
