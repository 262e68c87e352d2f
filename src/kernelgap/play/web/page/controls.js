import { KERNEL_LABELS, PRESETS, SETTINGS } from "./state.js";

function made(name, attributes = {}, ...children) {
  const one = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  one.append(...children);
  return one;
}

/** A slider over the values of each setting; ``onChange`` is called with the name and the new value. */
export class Controls {
  constructor(place, presets, onChange, onPreset) {
    this.inputs = {};
    for (const setting of SETTINGS) place.append(this.slider(setting, onChange));
    const kernel = made("select", { id: "kernel" });
    for (const [name, label] of Object.entries(KERNEL_LABELS)) kernel.append(made("option", { value: name }, label));
    kernel.addEventListener("change", () => onChange("kernel", kernel.value));
    place.append(made("div", { class: "setting" }, made("label", { for: "kernel" }, "kernel"), kernel));
    this.kernel = kernel;
    this.presets = PRESETS.map((preset, i) => {
      const button = made("button", { type: "button", "aria-pressed": "false" }, preset.name);
      button.addEventListener("click", () => onPreset(i));
      presets.append(button);
      return button;
    });
  }

  slider({ name, label, symbol, values, hint }, onChange) {
    const input = made("input", { type: "range", id: name, min: 0, max: values.length - 1, step: 1 });
    const output = made("output", { for: name });
    input.addEventListener("input", () => onChange(name, values[Number(input.value)]));
    this.inputs[name] = { input, output, values };
    const text = made("label", { for: name }, label, ...(symbol ? [" ", made("i", {}, symbol)] : []));
    const parts = [text, output, input];
    if (hint) {
      parts.push(made("span", { id: `${name}-hint`, class: "unseen" }, hint));
      input.setAttribute("aria-describedby", `${name}-hint`);
    }
    return made("div", { class: "setting", ...(hint ? { title: hint } : {}) }, ...parts);
  }

  show(settings, preset) {
    for (const [name, { input, output, values }] of Object.entries(this.inputs)) {
      input.value = values.indexOf(settings[name]);
      input.setAttribute("aria-valuetext", settings[name]);
      output.textContent = settings[name];
    }
    this.kernel.value = settings.kernel;
    this.presets.forEach((button, i) => button.setAttribute("aria-pressed", String(i === preset)));
  }
}
