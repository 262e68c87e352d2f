/**
 * Networks of kernelgap.networks, for one input after the other, with their gradients.
 *
 * 2layer   out = A s(Wx + b1)
 * 3resnet  out = out1 + A s(V out1 + b2), out1 = A s(Wx + b1)
 */
export const SHAPES = {
  "2layer": (d, k, m) => ({ W: [m, d], b1: [m], A: [k, m] }),
  "3resnet": (d, k, m) => ({ W: [m, d], b1: [m], V: [m, k], b2: [m], A: [k, m] }),
};

/** Section 8.1's start: every weight and bias is N(0, 1/m). */
export function initialWeights(name, d, k, m, random) {
  const shapes = Object.entries(SHAPES[name](d, k, m));
  return Object.fromEntries(
    shapes.map(([part, shape]) => [part, random.normals(shape[0] * (shape[1] ?? 1), m ** -0.5)]),
  );
}

/** Four sums at a time: a processor adds them side by side. */
function dot(a, from, b, start, length) {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  let i = 0;
  for (; i < length - 3; i += 4) {
    first += a[from + i] * b[start + i];
    second += a[from + i + 1] * b[start + i + 1];
    third += a[from + i + 2] * b[start + i + 2];
    fourth += a[from + i + 3] * b[start + i + 3];
  }
  for (; i < length; i++) first += a[from + i] * b[start + i];
  return first + second + (third + fourth);
}

function addTimes(into, from, factor, b, start, length) {
  let i = 0;
  for (; i < length - 3; i += 4) {
    into[from + i] += factor * b[start + i];
    into[from + i + 1] += factor * b[start + i + 1];
    into[from + i + 2] += factor * b[start + i + 2];
    into[from + i + 3] += factor * b[start + i + 3];
  }
  for (; i < length; i++) into[from + i] += factor * b[start + i];
}

const relu = (value) => (value > 0 ? value : 0);

export class Network {
  constructor(name, d, k, weights) {
    Object.assign(this, { name, d, k, m: weights.b1.length, weights, residual: "V" in weights });
    const zeros = () => Object.fromEntries(Object.entries(weights).map(([part, w]) => [part, new Float64Array(w.length)]));
    this.gradient = zeros();
    this.velocity = zeros();
    this.first = new Float64Array(this.m); // s(Wx + b1)
    this.second = new Float64Array(this.m); // s(V out1 + b2)
    this.out1 = new Float64Array(k);
    this.out = new Float64Array(k);
    this.back1 = new Float64Array(k);
  }

  /** out1 and out of the input that begins at ``at``. */
  forward(X, at) {
    const { d, k, m, first, second, out1, out } = this;
    const { W, b1, V, b2, A } = this.weights;
    for (let i = 0; i < m; i++) first[i] = relu(b1[i] + dot(W, i * d, X, at, d));
    for (let j = 0; j < k; j++) out[j] = out1[j] = dot(A, j * m, first, 0, m);
    if (!this.residual) return;
    for (let i = 0; i < m; i++) second[i] = relu(b2[i] + dot(V, i * k, out1, 0, k));
    for (let j = 0; j < k; j++) out[j] += dot(A, j * m, second, 0, m);
  }

  /** Add the gradient of |out - y|^2 / (2 size) at one input. */
  addGradient(X, at, Y, label, size) {
    this.forward(X, at);
    const { d, k, m, first, second, out1, out, back1 } = this;
    const { V, A } = this.weights;
    const g = this.gradient;
    for (let j = 0; j < k; j++) back1[j] = out[j] = (out[j] - Y[label + j]) / size; // out is the residual from here on
    if (this.residual) {
      for (let j = 0; j < k; j++) addTimes(g.A, j * m, out[j], second, 0, m);
      for (let i = 0; i < m; i++) {
        if (second[i] <= 0) continue;
        let back = 0;
        for (let j = 0; j < k; j++) back += out[j] * A[j * m + i];
        g.b2[i] += back;
        addTimes(g.V, i * k, back, out1, 0, k);
        addTimes(back1, 0, back, V, i * k, k);
      }
    }
    for (let j = 0; j < k; j++) addTimes(g.A, j * m, back1[j], first, 0, m);
    for (let i = 0; i < m; i++) {
      if (first[i] <= 0) continue;
      let back = 0;
      for (let j = 0; j < k; j++) back += back1[j] * A[j * m + i];
      g.b1[i] += back;
      addTimes(g.W, i * d, back, X, at, d);
    }
  }

  /** One step of SGD on these rows: v <- momentum v + gradient + decay w, then w <- w - rate v. */
  step(X, Y, rows, { rate, decay, momentum }) {
    for (const row of rows) this.addGradient(X, row * this.d, Y, row * this.k, rows.length);
    for (const part in this.weights) {
      const [w, v, g] = [this.weights[part], this.velocity[part], this.gradient[part]];
      for (let i = 0; i < w.length; i++) {
        v[i] = momentum * v[i] + g[i] + decay * w[i];
        w[i] -= rate * v[i];
      }
      g.fill(0);
    }
  }
}
