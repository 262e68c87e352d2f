import { binomial } from "./floor.js";
import { ONE, PI, acos, exp, log, over, ratio, sqrt, times, toNumber } from "./fixed.js";

/** What a ReLU layer makes of two inputs with this inner product and the same squared length (kernels/formulas). */
function reluLayer(inner, length) {
  const cosine = over(inner, length);
  const slopes = ONE - over(acos(cosine), PI);
  const outputs = times(length, over(sqrt(ONE - times(cosine, cosine)), PI) + times(slopes, cosine));
  return { slopes, outputs };
}

/** Kernels at inputs with the inner product ``inner`` and the squared length d, by their names in Python. */
export const KERNELS = {
  "ntk2(bias=True)": (inner, d) => {
    const [x, length] = [inner + ONE, BigInt(d + 1) * ONE];
    const { slopes, outputs } = reluLayer(x, length);
    return times(x, slopes) + outputs;
  },
  "ntk3(bias=True, hidden_bias=True)": (inner, d) => {
    const [x, length] = [inner + ONE, BigInt(d + 1) * ONE];
    const first = reluLayer(x, length);
    const inputs = first.outputs + 2n * ONE;
    const second = reluLayer(inputs, length + 2n * ONE);
    return times(times(x, first.slopes) + inputs, second.slopes) + second.outputs;
  },
  "ck2(bias=True)": (inner, d) => reluLayer(inner + ONE, BigInt(d + 1) * ONE).outputs,
  gaussian: (inner, d) => exp(-over(2n * (BigInt(d) * ONE - inner), 8n * BigInt(medianDifference(d)) * ONE)),
};

/** The median number of coordinates in which two points of the cube differ, if they differ at all. */
export function medianDifference(d) {
  let reached = 0n;
  for (let i = 1; i <= d; i++) {
    reached += binomial(d, i);
    if (2n * reached >= 2n ** BigInt(d) - 1n) return i;
  }
  return d;
}

/** Krawtchouk's polynomials K_k(i): row k, column i. */
function krawtchouk(d) {
  const rows = [];
  let before = Array(d + 1).fill(0n);
  let row = Array(d + 1).fill(1n);
  for (let k = 0; k <= d; k++) {
    rows.push(row);
    const next = row.map((v, i) => (BigInt(d - 2 * i) * v - BigInt(d - k + 1) * before[i]) / BigInt(k + 1));
    [before, row] = [row, next];
  }
  return rows;
}

/**
 * A kernel on {-1,1}^d. Points that differ in i coordinates have the kernel ``values[i]``; parities of degree k have the
 * eigenvalue exp(logEigenvalues[k]); ``squares[i]`` is sum_S lambda_S^2 chi_S(x) chi_S(z).
 */
export function cubeSpectrum(name, d) {
  const exact = Array.from({ length: d + 1 }, (_, i) => KERNELS[name](ratio(d - 2 * i, 1), d));
  const rows = krawtchouk(d);
  const sizes = Array.from({ length: d + 1 }, (_, i) => binomial(d, i));
  const eigenvalues = rows.map((row, k) => {
    let sum = 0n;
    for (let i = 0; i <= d; i++) sum += sizes[i] * row[i] * exact[i];
    return sum / (sizes[k] << BigInt(d));
  });
  const rounding = ONE >> 440n;
  const kept = eigenvalues.map((value) => (value <= rounding ? 0n : value));
  const squares = exact.map((_, i) => toNumber(kept.reduce((sum, v, k) => sum + times(v, v) * rows[k][i], 0n)));
  return {
    d,
    values: Float64Array.from(exact, toNumber),
    squares: Float64Array.from(squares),
    eigenvalues: Float64Array.from(kept, toNumber),
    logEigenvalues: Float64Array.from(kept, (value) => log(value, 0n)),
    logSizes: Float64Array.from(sizes, (size) => Math.log(Number(size))),
  };
}
