// What the theme leaves out for readers who see little, or who use the keyboard alone.
"use strict";

// Scripts of a page share one scope; this block keeps its names apart.
{
  // Boxes that may be wider or higher than the screen.
  const BOXES = [
    ".scroll", ".cell_output .text_html", ".cell_output pre", ".highlight pre",
    "mjx-container[display='true']", ".bd-article .pst-scrollable-table-container",
  ].join(", ");

  const overflows = (box) => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;

  // A box that scrolls, or that the page made reachable itself, is reached by the keyboard and has
  // a name.
  function makeReachable(box) {
    if (!overflows(box) && box.tabIndex < 0) return;
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    if (!box.hasAttribute("aria-label")) {
      const caption = box.querySelector("caption")?.textContent;
      box.setAttribute("aria-label", caption?.split(/[.:]/)[0] ?? "wide content");
    }
  }

  function makeAllReachable() {
    document.querySelectorAll(BOXES).forEach(makeReachable);
    const labels = new Map();
    // Regions of one page have different names.
    for (const box of document.querySelectorAll("[role='region'][aria-label]")) {
      const label = (box.dataset.label ??= box.getAttribute("aria-label"));
      const count = (labels.get(label) ?? 0) + 1;
      labels.set(label, count);
      if (count > 1) box.setAttribute("aria-label", `${label}, ${count}`);
    }
  }

  // Names that begin as the visible words do.
  function nameControls() {
    for (const button of document.querySelectorAll(".search-button-field")) {
      button.setAttribute("aria-label", button.textContent.trim().replace(/\s+/g, " "));
      button.removeAttribute("title");
    }
    for (const summary of document.querySelectorAll("summary[aria-label='Toggle hidden content']")) {
      summary.removeAttribute("aria-label");
    }
    for (const summary of document.querySelectorAll(".bd-links summary")) {
      const page = summary.closest("li").querySelector("a").textContent.trim();
      summary.setAttribute("aria-label", `pages of ${page}`);
    }
  }

  // The project's name above the sidebar stands in a landmark, as all else does.
  function markLogo() {
    const logo = document.querySelector(".sidebar-primary-item:has(> .navbar-brand)");
    logo?.setAttribute("role", "navigation");
    logo?.setAttribute("aria-label", "Home");
  }

  nameControls();
  markLogo();
  window.addEventListener("load", () => {
    makeAllReachable();
    window.MathJax?.startup?.promise.then(makeAllReachable);
  });
  window.addEventListener("resize", makeAllReachable);
}
