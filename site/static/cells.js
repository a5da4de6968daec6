// The page of one number: the address behind # names a cell, such as #table1/MimlSvm/coverage/scene,
// and the page shows the template of that name, then the template of its origins.
"use strict";

// Scripts of a page share one scope; this block keeps its names apart.
{
  const place = document.getElementById("cell");

  const copyOf = (name) => document.getElementById(name).content.cloneNode(true);

  function heading(text) {
    const made = document.createElement("h2");
    made.textContent = text;
    return made;
  }

  function nameInAddress() {
    const name = location.hash.slice(1);
    try {
      return decodeURIComponent(name);
    } catch {
      return name; // with a % that begins no code
    }
  }

  function showCell() {
    const name = nameInAddress();
    const template = document.getElementById(name);
    // A place of this page, such as that of "Skip to main content", is no number: nothing changes.
    if (template && template.localName !== "template") return;
    if (!template?.dataset.title) {
      place.textContent = name ? `There is no number at the address ${name}.` : "Choose a number on the scorecard.";
      return;
    }
    place.replaceChildren(heading(template.dataset.title), copyOf(name), copyOf(template.dataset.origin));
  }

  if (place) {
    showCell();
    window.addEventListener("hashchange", showCell);
  }
}
