/** Random numbers from a seed and a purpose: xoshiro128**, started by splitmix32. */
export class Random {
  constructor(seed, purpose) {
    let state = seed >>> 0;
    for (const letter of purpose) state = Math.imul(state ^ letter.charCodeAt(0), 0x9e3779b1) >>> 0;
    const mixed = () => {
      state = (state + 0x9e3779b9) >>> 0;
      let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
      return (z ^ (z >>> 15)) >>> 0;
    };
    this.words = Uint32Array.from([mixed(), mixed(), mixed(), mixed()]);
  }

  /** A whole number below 2^32. */
  word() {
    const s = this.words;
    const product = Math.imul(s[1], 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const moved = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= moved;
    s[3] = (s[3] << 11) | (s[3] >>> 21);
    return result;
  }

  /** In (0, 1). */
  uniform() {
    return (this.word() + 0.5) / 4294967296;
  }

  normal() {
    return Math.sqrt(-2 * Math.log(this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  normals(count, deviation) {
    return Float64Array.from({ length: count }, () => deviation * this.normal());
  }

  signs(count) {
    return Float64Array.from({ length: count }, () => (this.word() & 0x40000000 ? 1 : -1));
  }

  permutation(count) {
    const order = Uint32Array.from({ length: count }, (_, i) => i);
    for (let i = count - 1; i > 0; i--) {
      const j = Math.floor(this.uniform() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }
}
