import { labels, signals } from "../learn/target.js";

/** Kernel ridge regression on the cube: solved by Cholesky, with its risk over all points of the cube. */
export class Regression {
  constructor(target, spectrum, X) {
    Object.assign(this, { target, spectrum, n: X.length / target.d });
    this.signals = signals(target, X);
    this.Y = labels(target, this.signals);
    this.differences = differencesOf(X, target.d);
  }

  /** The coefficients a (n x k) with (K + ridge I) a = Y. */
  solve(ridge) {
    const { n, differences } = this;
    const factor = new Float64Array(n * n);
    for (let at = 0; at < n * n; at++) factor[at] = this.spectrum.values[differences[at]];
    for (let row = 0; row < n; row++) factor[row * n + row] += ridge;
    if (!cholesky(factor, n)) return null;
    return solveFactored(factor, n, this.Y, this.target.k);
  }

  /** |H|^2 - 2 <a, b> + <a, G a>: exact over the cube, as in kernelgap/curves/measured.py. */
  risk(a) {
    const { n, differences } = this;
    const { k, block, degree, alpha, beta } = this.target;
    const { eigenvalues, squares } = this.spectrum;
    const { F, G } = this.signals;
    let risk = k * (alpha * alpha + beta * beta);
    const sums = new Float64Array(k);
    for (let row = 0; row < n; row++) {
      sums.fill(0);
      for (let other = 0; other < n; other++) {
        const square = squares[differences[row * n + other]];
        for (let j = 0; j < k; j++) sums[j] += square * a[other * k + j];
      }
      for (let j = 0; j < k; j++) {
        const right = eigenvalues[block] * beta * F[row * k + j] + eigenvalues[degree] * alpha * G[row];
        risk += a[row * k + j] * (sums[j] - 2 * right);
      }
    }
    return risk;
  }

  /** Which shares of F and of G(F) the solution holds. */
  shares(a) {
    const { k, block, degree, alpha, beta } = this.target;
    const { eigenvalues } = this.spectrum;
    const { F, G } = this.signals;
    let [base, composite] = [0, 0];
    for (let at = 0; at < a.length; at++) {
      base += a[at] * F[at];
      composite += a[at] * G[Math.floor(at / k)];
    }
    return {
      base: beta > 0 ? (eigenvalues[block] * base) / (k * beta) : null,
      composite: alpha > 0 ? (eigenvalues[degree] * composite) / (k * alpha) : null,
    };
  }

  /** The least risk over these ridges: as good a ridge as one can pick who knows the target. */
  best(ridges) {
    const solved = ridges.map((ridge) => ({ ridge, a: this.solve(ridge) })).filter(({ a }) => a !== null);
    const judged = solved.map(({ ridge, a }) => ({ ridge, risk: this.risk(a), ...this.shares(a) }));
    return judged.reduce((best, one) => (one.risk < best.risk ? one : best));
  }
}

/** In how many coordinates each two rows differ; a row of up to 32 signs is one whole number. */
function differencesOf(X, d) {
  const n = X.length / d;
  const words = new Int32Array(n);
  for (let at = 0; at < X.length; at++) if (X[at] < 0) words[Math.floor(at / d)] |= 1 << at % d;
  const differences = new Uint8Array(n * n);
  for (let row = 0; row < n; row++)
    for (let other = 0; other < n; other++) {
      let bits = words[row] ^ words[other];
      let count = 0;
      for (; bits; bits &= bits - 1) count++;
      differences[row * n + other] = count;
    }
  return differences;
}

/** L with L L' = A in the lower half of A; false if A is not positive definite. */
function cholesky(A, n) {
  for (let row = 0; row < n; row++)
    for (let column = 0; column <= row; column++) {
      const a = row * n;
      const b = column * n;
      let first = A[a + column];
      let second = 0;
      let third = 0;
      let fourth = 0;
      let i = 0;
      for (; i + 3 < column; i += 4) {
        first -= A[a + i] * A[b + i];
        second -= A[a + i + 1] * A[b + i + 1];
        third -= A[a + i + 2] * A[b + i + 2];
        fourth -= A[a + i + 3] * A[b + i + 3];
      }
      for (; i < column; i++) first -= A[a + i] * A[b + i];
      const sum = first + second + (third + fourth);
      if (row === column && !(sum > 0)) return false;
      A[a + column] = row === column ? Math.sqrt(sum) : sum / A[b + column];
    }
  return true;
}

/** (L L')^-1 Y for Y (n x k). */
function solveFactored(L, n, Y, k) {
  const x = Float64Array.from(Y);
  for (let row = 0; row < n; row++)
    for (let j = 0; j < k; j++) {
      let sum = x[row * k + j];
      for (let i = 0; i < row; i++) sum -= L[row * n + i] * x[i * k + j];
      x[row * k + j] = sum / L[row * n + row];
    }
  for (let row = n - 1; row >= 0; row--)
    for (let j = 0; j < k; j++) {
      let sum = x[row * k + j];
      for (let i = row + 1; i < n; i++) sum -= L[i * n + row] * x[i * k + j];
      x[row * k + j] = sum / L[row * n + row];
    }
  return x;
}
