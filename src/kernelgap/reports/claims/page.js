(() => {
  "use strict";
  const specs = JSON.parse(document.getElementById("specs").textContent);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const drawn = all("[data-chart]").map((place) =>
    vegaEmbed(place, specs[place.dataset.chart], { actions: false, renderer: "svg", mode: "vega-lite" }));
  Promise.all(drawn).then(() => { document.documentElement.dataset.drawn = "true"; }).catch((error) => {
    document.documentElement.dataset.drawn = "failed";
    console.error(error);
  });

  const buttons = all("[data-show]");
  for (const button of buttons) button.addEventListener("click", () => {
    const wanted = button.dataset.show;
    for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
    for (const article of all("article")) article.classList.toggle("hidden", Boolean(wanted) && !article.dataset.kinds.split(" ").includes(wanted));
    for (const section of all("main > section")) {
      const articles = all("article", section);
      section.classList.toggle("hidden", articles.length > 0 && articles.every((a) => a.classList.contains("hidden")));
    }
  });
})();
