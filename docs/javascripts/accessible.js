// What screen readers and keyboards need, and the theme leaves out: a name for the search, tables that can be scrolled.
document$.subscribe(() => {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  setTimeout(() => document.querySelectorAll(".md-typeset__scrollwrap").forEach((table) => { table.tabIndex = 0; }));
});
