import { KERNEL_LABELS } from "./state.js";
import { brief, percent } from "./numbers.js";
import { UNDER } from "./sentence.js";

/** Each learner's test error, and which shares of F and of G(F) it has. */
export function showTable(table, { settings, line, kernel }, point) {
  const rows = {
    resnet: point?.["3resnet"],
    twolayer: point?.["2layer"],
    kernel: kernel && { ...kernel, error: kernel.risk },
  };
  table.querySelector(".kernelname").textContent = KERNEL_LABELS[settings.kernel];
  for (const [name, values] of Object.entries(rows)) {
    const row = table.querySelector(`tr.${name}`);
    write(row.querySelector(".error"), values ? brief(values.error) : "…");
    row.querySelector(".under").hidden = !(values && line > 0 && values.error < UNDER * line);
    for (const part of ["base", "composite"]) {
      const [cell, share] = [row.querySelector(`.${part}`), values?.[part]];
      const known = share !== null && share !== undefined && Number.isFinite(share);
      write(cell, known ? percent(share) : "–");
      cell.style.setProperty("--share", known ? percent(share) : "0%");
    }
  }
}

function write(cell, text) {
  if (cell.textContent !== text) cell.textContent = text;
}
