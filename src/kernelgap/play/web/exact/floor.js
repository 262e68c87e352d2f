export function binomial(d, k) {
  let result = 1n;
  for (let i = 1; i <= k; i++) result = (result * BigInt(d - k + i)) / BigInt(i);
  return result;
}

/**
 * The floor under every scalar kernel that is fixed beforehand, on average over which coordinates matter
 * (kernelgap/certificates/floors/bound.py): with n samples the mean risk is at least k alpha^2 (1 - n / C), where C
 * counts the parities that G(F) can be. In exact fractions of whole numbers.
 */
export class AnyKernel {
  constructor(target) {
    this.size = binomial(target.d, target.degree);
    const [top, bottom] = fraction(target.alpha);
    this.threshold = [BigInt(target.k) * top * top, bottom * bottom];
  }

  meanRisk(n) {
    const left = this.size - BigInt(n) > 0n ? this.size - BigInt(n) : 0n;
    const [top, bottom] = this.threshold;
    return Number(top * left) / Number(bottom * this.size);
  }

  /** The least number of samples with which the floor allows this mean risk. */
  samplesFor(risk) {
    const [top, bottom] = this.threshold;
    const [least, unit] = fraction(risk);
    const captured = top * unit - least * bottom; // over bottom * unit
    if (captured <= 0n) return 0n;
    const divisor = top * unit;
    return (captured * this.size + divisor - 1n) / divisor;
  }
}

/** The decimal number that was written: 0.3 is 3/10. */
function fraction(number) {
  const [mantissa, exponent = "0"] = String(number).split("e");
  const [whole, rest = ""] = mantissa.split(".");
  const power = Number(exponent) - rest.length;
  const top = BigInt(whole + rest);
  return power >= 0 ? [top * 10n ** BigInt(power), 1n] : [top, 10n ** BigInt(-power)];
}
