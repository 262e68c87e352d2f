/**
 * Real numbers as whole multiples of 2^-512. Eigenvalues of kernels on the cube are sums in which tens of digits cancel,
 * so that float64 would leave none of them.
 */
const BITS = 512n;
export const ONE = 1n << BITS;

export const ratio = (a, b) => (BigInt(a) << BITS) / BigInt(b);
export const times = (a, b) => (a * b) >> BITS;
export const over = (a, b) => (a << BITS) / b;

/** The square root; 0 of what rounding has made negative. */
export function sqrt(value) {
  if (value <= 0n) return 0n;
  const square = value << BITS;
  let root = 1n << BigInt((square.toString(16).length * 4) / 2 + 1);
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** atan of a number from 0 to 1, by halving the angle and a power series. */
function atan(value) {
  const HALVINGS = 12n;
  let x = value;
  for (let i = 0n; i < HALVINGS; i++) x = over(x, ONE + sqrt(ONE + times(x, x)));
  const square = times(x, x);
  let sum = 0n;
  for (let power = x, n = 1n, sign = 1n; power > 0n; power = times(power, square), n += 2n, sign = -sign)
    sum += (sign * power) / n;
  return sum << HALVINGS;
}

export const PI = 4n * atan(ONE);

/** acos c = 2 atan sqrt((1 - c) / (1 + c)). */
export function acos(cosine) {
  if (cosine >= ONE) return 0n;
  if (cosine <= -ONE) return PI;
  if (cosine < 0n) return PI - acos(-cosine);
  return 2n * atan(sqrt(over(ONE - cosine, ONE + cosine)));
}

/** exp of a number that is not positive. */
export function exp(value) {
  const HALVINGS = 16n;
  const x = value >> HALVINGS;
  let sum = 0n;
  for (let term = ONE, n = 1n; term !== 0n && term !== -1n; term = times(term, x) / n, n++) sum += term;
  for (let i = 0n; i < HALVINGS; i++) sum = times(sum, sum);
  return sum;
}

const digits = (value) => value.toString(16).length * 4;

export function toNumber(value) {
  if (value < 0n) return -toNumber(-value);
  const spare = BigInt(Math.max(0, digits(value) - 64));
  return Number(value >> spare) * 2 ** Number(spare - BITS);
}

/** The logarithm of a positive number, or -Infinity where the number is no more than rounding. */
export function log(value, rounding) {
  if (value <= rounding) return -Infinity;
  const spare = BigInt(Math.max(0, digits(value) - 64));
  return Math.log(Number(value >> spare)) + Number(spare - BITS) * Math.LN2;
}
