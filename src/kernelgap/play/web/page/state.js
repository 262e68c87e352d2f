/** What can be set, what it may be, and its place in the page's address. */
const whole = (low, high) => Array.from({ length: high - low + 1 }, (_, i) => low + i);
const tenths = (low, high, step) => Array.from({ length: Math.round((high - low) / step) + 1 }, (_, i) => Number((low + i * step).toFixed(2)));

export const SETTINGS = [
  { name: "d", label: "dimensions", symbol: "d", values: whole(6, 30), hint: "Each input is a point of {−1, 1}ᵈ." },
  { name: "k", label: "outputs", symbol: "k", values: whole(2, 5), hint: "F has k outputs, and G multiplies all of them." },
  { name: "block", label: "coordinates in each Fⱼ", symbol: "", values: [1, 2, 3], hint: "New coordinates that SGD must find at once: the leap." },
  { name: "alpha", label: "strength of G(F)", symbol: "α", values: tenths(0, 1, 0.05), hint: "" },
  { name: "beta", label: "strength of F", symbol: "β", values: tenths(0, 1.5, 0.1), hint: "0 leaves a pure parity." },
  { name: "n", label: "training samples", symbol: "N", values: [20, 30, 50, 70, 100, 150, 200, 300, 400, 500, 700, 1000], hint: "" },
  { name: "width", label: "width of networks", symbol: "m", values: [5, 10, 20, 50, 100, 150, 200, 300], hint: "" },
  { name: "rate", label: "learning rate", symbol: "", values: [0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3], hint: "A tenth of it in the second half." },
  { name: "seed", label: "seed", symbol: "", values: whole(0, 99), hint: "" },
];

export const KERNEL_LABELS = {
  "ntk2(bias=True)": "NTK, two layers",
  "ntk3(bias=True, hidden_bias=True)": "NTK, three layers",
  "ck2(bias=True)": "conjugate kernel",
  gaussian: "Gaussian",
};

const START = { d: 20, k: 4, block: 2, alpha: 0.3, beta: 1, n: 500, width: 100, rate: 0.05, seed: 0, kernel: "ntk2(bias=True)" };

export const PRESETS = [
  { name: "Figure 2 in small", settings: {} },
  { name: "beta too weak", settings: { beta: 0.2 } },
  { name: "N too small", settings: { n: 100 } },
  { name: "pure parity: nobody learns", settings: { beta: 0 } },
  { name: "leap 1", settings: { block: 1, n: 300 } },
];

export const presetSettings = (preset) => ({ ...START, ...preset.settings });

/** Settings that are possible: values of the lists, and as many dimensions as F needs. */
export function possible(settings) {
  const checked = { ...START };
  for (const { name, values } of SETTINGS)
    if (settings[name] !== undefined && !Number.isNaN(Number(settings[name])))
      checked[name] = values.reduce((best, value) => (Math.abs(value - settings[name]) < Math.abs(best - settings[name]) ? value : best));
  if (settings.kernel in KERNEL_LABELS) checked.kernel = settings.kernel;
  checked.d = Math.max(checked.d, checked.k * checked.block);
  return checked;
}

export const fromAddress = (hash) => possible(Object.fromEntries(new URLSearchParams(hash.replace(/^#/, ""))));

export const toAddress = (settings) => `#${new URLSearchParams(settings)}`;

export const presetOf = (settings) => PRESETS.findIndex((preset) => toAddress(possible(presetSettings(preset))) === toAddress(settings));

/** The same target in Python. */
export function inPython({ d, k, block, alpha, beta }) {
  return `kg.problems.get("products(d=${d}, k=${k}, alpha=${alpha}, block=${block}, beta=${beta})")`;
}
