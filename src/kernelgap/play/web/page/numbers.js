/** Numbers as text. */
export const count = (value) => value.toLocaleString("en-US");

/** Two significant digits, without an exponent where that is readable. */
export function brief(value) {
  if (!Number.isFinite(value)) return "∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15) return "more than 10¹⁵";
  if (size >= 1e9) return `${brief(value / 1e9)} billion`;
  if (size >= 1e6) return `${brief(value / 1e6)} million`;
  if (size >= 100) return count(Number(value.toPrecision(2)));
  if (size >= 0.001) return String(Number(value.toPrecision(2)));
  return value.toPrecision(1).replace(/e([+-])0?/, "e$1");
}

/** The next number of two significant digits that is no less: what is said of a risk is never better than the risk. */
export function roundedUp(value) {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / unit - 1e-9) * unit).toPrecision(2));
}

export const percent = (share) => `${Math.round(100 * Math.min(Math.max(share, 0), 1))}%`;
