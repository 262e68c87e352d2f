/**
 * The predicted risk of kernel ridge regression from the kernel's spectrum: kernelgap/curves/theory.py, whose docstring
 * has the formulas. Groups of parities share an eigenvalue; everything is computed from logarithms.
 */
const NEWTON_STEPS = 200;
const PRECISION = 1e-13;
const BELOW = 60;
const GRID = 4000;
const GOLDEN_STEPS = 40;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
export const MOST_SAMPLES = 1e15;

function logAdd(a, b) {
  const [low, high] = a < b ? [a, b] : [b, a];
  return high === -Infinity ? high : high + Math.log1p(Math.exp(low - high));
}

const logSum = (values) => values.reduce(logAdd, -Infinity);

export class Theory {
  /** A spectrum, and for each degree the target's squared coefficients summed. */
  constructor({ logSizes, logEigenvalues }, energies) {
    Object.assign(this, { logSizes, logEigenvalues, energies });
    this.logTrace = logSum(logSizes.map((size, i) => size + logEigenvalues[i]));
    this.logRank = logSum(logSizes.filter((_, i) => Number.isFinite(logEigenvalues[i])));
    this.least = Math.min(...logEigenvalues.filter(Number.isFinite)) - BELOW;
    const width = (this.logTrace + 5 - this.least) / (GRID - 1);
    this.grid = Array.from({ length: GRID }, (_, i) => this.sums(this.least + i * width));
    this.gridWidth = width;
  }

  /** sum L, sum L (1 - L), and sum (1 - L)^2 v^2. */
  sums(logKappa) {
    let [learned, between, left] = [0, 0, 0];
    for (let i = 0; i < this.logSizes.length; i++) {
      const both = logAdd(this.logEigenvalues[i], logKappa);
      const [logLearned, logLeft] = [this.logEigenvalues[i] - both, logKappa - both];
      learned += Math.exp(this.logSizes[i] + logLearned);
      between += Math.exp(this.logSizes[i] + logLearned + logLeft);
      left += Math.exp(2 * logLeft) * this.energies[i];
    }
    return { logKappa, learned, between, left };
  }

  /** log kappa, by Newton's method on the logarithm of sum L + ridge / kappa. */
  logKappa(n, ridge) {
    const [logN, logRidge] = [Math.log(n), Math.log(ridge)];
    if (ridge === 0 && logN >= this.logRank) return this.least;
    let high = logAdd(this.logTrace, logRidge) - logN;
    let low = Math.min(ridge > 0 ? Math.max(logRidge - logN, this.least) : this.least, high);
    let point = high;
    for (let step = 0; step < NEWTON_STEPS; step++) {
      let [total, slope] = [logRidge - point, logRidge - point];
      for (let i = 0; i < this.logSizes.length; i++) {
        const both = logAdd(this.logEigenvalues[i], point);
        const each = this.logSizes[i] + this.logEigenvalues[i] - both;
        total = logAdd(total, each);
        slope = logAdd(slope, each + point - both);
      }
      const above = total - logN;
      if (above >= 0) low = point;
      if (above <= 0) high = point;
      let moved = point + above * Math.exp(total - slope);
      if (!(moved > low && moved < high)) moved = (low + high) / 2;
      const done = Math.abs(moved - point) <= PRECISION * Math.max(1, Math.abs(point));
      point = moved;
      if (done) break;
    }
    return point;
  }

  /** The risk with one ridge. */
  risk(n, ridge) {
    const sums = this.sums(this.logKappa(n, ridge));
    const room = sums.logKappa > this.least ? ridge / Math.exp(sums.logKappa) : Math.max(n - sums.learned, 0);
    return (n / (room + sums.between)) * sums.left;
  }

  /** The risk with the best ridge, and this ridge: each kappa from that of ridge 0 up is the kappa of one ridge. */
  best(n) {
    const lowest = this.logKappa(n, 0);
    const error = ({ learned, between, left }) => (n / (Math.max(n - learned, 0) + between)) * left;
    let [place, least] = [this.sums(lowest), Infinity];
    for (const sums of this.grid) {
      if (sums.logKappa < lowest) continue;
      const here = error(sums);
      if (here < least) [place, least] = [sums, here];
    }
    let low = Math.max(place.logKappa - this.gridWidth, lowest);
    let high = Math.max(place.logKappa + this.gridWidth, lowest);
    for (let step = 0; step < GOLDEN_STEPS; step++) {
      const [first, second] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
      if (error(this.sums(first)) <= error(this.sums(second))) high = second;
      else low = first;
    }
    const middle = this.sums((low + high) / 2);
    const without = this.risk(n, 0);
    if (without <= error(middle)) return { risk: without, ridge: 0 };
    return { risk: error(middle), ridge: Math.exp(middle.logKappa) * Math.max(n - middle.learned, 0) };
  }

  /** The least number of samples whose predicted risk with the best ridge is no greater; null if 10^15 do not do. */
  samplesFor(risk) {
    if (this.best(1).risk <= risk) return 1;
    let [low, high] = [1, MOST_SAMPLES];
    if (this.best(high).risk > risk) return null;
    while (high - low > 1) {
      const middle = high / low > 4 ? Math.round(Math.sqrt(low * high)) : Math.floor((low + high) / 2);
      if (this.best(middle).risk <= risk) high = middle;
      else low = middle;
    }
    return high;
  }
}

/** |beta F|^2 and |alpha G(F)|^2 at their degrees. */
export function energiesOf({ d, k, block, degree, alpha, beta }) {
  const energies = new Float64Array(d + 1);
  energies[block] += k * beta * beta;
  energies[degree] += k * alpha * alpha;
  return energies;
}
