import { Random } from "./random.js";

/**
 * The target H = beta F + alpha G(F) on {-1,1}^d: F_j is the product of the j-th block of coordinates, and G the product
 * of all k outputs of F, in each output. In Python: kg.problems.products(d, k, alpha, block, beta=beta).
 */
export function makeTarget({ d, k, block, alpha, beta }) {
  const base = Array.from({ length: k }, (_, j) => Array.from({ length: block }, (_, i) => block * j + i));
  return { d, k, block, alpha, beta, base, degree: block * k, threshold: k * alpha * alpha };
}

/** F (n x k) without beta, and G(F) (n), for rows of signs. */
export function signals(target, X) {
  const { d, k, base } = target;
  const n = X.length / d;
  const F = new Float64Array(n * k);
  const G = new Float64Array(n).fill(1);
  for (let row = 0; row < n; row++)
    for (let j = 0; j < k; j++) {
      let product = 1;
      for (const i of base[j]) product *= X[row * d + i];
      F[row * k + j] = product;
      G[row] *= product;
    }
  return { F, G };
}

/** H (n x k). */
export function labels(target, { F, G }) {
  const { k, alpha, beta } = target;
  return F.map((value, at) => beta * value + alpha * G[Math.floor(at / k)]);
}

const WHOLE = 10; // dimensions up to which every point of the cube is a test point
export const TEST_POINTS = 1000;

/** Training inputs, and test inputs: every point of a small cube, else random ones. */
export function drawInputs(d, n, seed) {
  const train = new Random(seed, "train").signs(n * d);
  if (d > WHOLE) return { train, test: new Random(seed, "test").signs(TEST_POINTS * d) };
  const test = Float64Array.from({ length: 2 ** d * d }, (_, at) => 1 - 2 * ((Math.floor(at / d) >> at % d) & 1));
  return { train, test };
}
