(() => {
  "use strict";
  const specs = JSON.parse(document.getElementById("specs").textContent);
  const views = {};
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  const drawn = all("[data-chart]").map(async (place) => {
    const name = place.dataset.chart;
    const options = { actions: false, renderer: "svg", mode: "vega-lite", tooltip: { disableDefaultStyle: false } };
    const { view } = await vegaEmbed(place, specs[name], options);
    views[name] = view;
  });
  Promise.all(drawn).then(() => { document.documentElement.dataset.drawn = "true"; }).catch((error) => {
    document.documentElement.dataset.drawn = "failed";
    console.error(error);
  });
  const tell = (chart, signal, value) => { if (views[chart]) views[chart].signal(signal, value).runAsync(); };

  // the legend: each method as it is drawn; a click shows it alone, further clicks add and remove
  const SHAPES = {
    circle: "M4 0A4 4 0 1 1 -4 0A4 4 0 1 1 4 0", square: "M-3.5 -3.5H3.5V3.5H-3.5Z", diamond: "M0 -5L4 0L0 5L-4 0Z",
    cross: "M-1.5 -4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z", "triangle-up": "M0 -4.5L4.5 4H-4.5Z",
    "triangle-down": "M0 4.5L4.5 -4H-4.5Z", "triangle-right": "M4.5 0L-4 4.5V-4.5Z",
  };
  const legend = document.querySelector(".legend");
  const buttons = all(".legend [data-method]");
  for (const button of buttons) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const part = (tag, attributes) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      svg.append(element);
    };
    const { colour, dash, shape } = button.dataset;
    for (const [key, value] of Object.entries({ width: 34, height: 12, viewBox: "-17 -6 34 12", "aria-hidden": "true" })) svg.setAttribute(key, value);
    part("line", { x1: -17, x2: 17, y1: 0, y2: 0, stroke: colour, "stroke-width": 2, "stroke-dasharray": dash });
    if (SHAPES[shape]) part("path", { d: SHAPES[shape], fill: colour });
    button.prepend(svg);
  }
  const pressed = (button) => button.getAttribute("aria-pressed") === "true";
  const press = (button, on) => button.setAttribute("aria-pressed", String(on));
  const show = () => {
    const shown = buttons.filter(pressed).map((button) => button.dataset.method);
    legend.classList.toggle("some", shown.length > 0);
    for (const chart of (legend.dataset.charts || "errors").split(" ")) tell(chart, "shown", shown);
  };
  for (const button of buttons) button.addEventListener("click", () => { press(button, !pressed(button)); show(); });
  for (const group of all(".legend .all")) {
    const mine = new Set(JSON.parse(group.dataset.methods));
    group.addEventListener("click", () => {
      const members = buttons.filter((button) => mine.has(button.dataset.method));
      const on = !members.every(pressed);
      for (const button of members) press(button, on);
      show();
    });
  }

  const picks = all("[data-pick]");
  for (const button of picks) button.addEventListener("click", () => {
    for (const other of picks) press(other, other === button);
    tell("errors", "pick", button.dataset.pick);
  });
  for (const choice of all("select[data-for]")) choice.addEventListener("change", () => tell(choice.dataset.for, "place", choice.value));

  // the table: sorted by a click on a column's name
  const table = document.getElementById("results");
  const bestOnly = document.getElementById("best-only");
  const filter = () => table.classList.toggle("best-only", bestOnly.checked);
  if (bestOnly) {
    bestOnly.addEventListener("change", filter);
    filter();
  }
  const value = (row, column) => {
    const cell = row.cells[column];
    return "value" in cell.dataset ? Number(cell.dataset.value === "inf" ? Infinity : cell.dataset.value) : cell.textContent;
  };
  all("th", table).forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of all("th", table)) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a === b ? 0 : a < b ? -1 : 1);
    const rows = [...table.tBodies[0].rows].sort((a, b) => (up ? 1 : -1) * compare(value(a, column), value(b, column)));
    table.tBodies[0].append(...rows);
  }));
})();
