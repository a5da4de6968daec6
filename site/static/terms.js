// Terms of the glossary: pointing at one or focusing it shows its meaning, Escape hides it.
"use strict";

// Scripts of a page share one scope; this block keeps its names apart.
{
  const card = document.createElement("div");
  card.id = "term-card";
  card.setAttribute("role", "tooltip");
  card.hidden = true;
  document.body.append(card);
  let shown = null;
  let leaving;

  function place() {
    if (!shown) return;
    const box = shown.getClientRects()[0];
    const width = document.documentElement.clientWidth;
    card.style.left = `${Math.max(8, Math.min(box.left, width - card.offsetWidth - 8))}px`;
    const below = box.bottom + card.offsetHeight + 8 < window.innerHeight;
    card.style.top = `${below ? box.bottom + 4 : box.top - card.offsetHeight - 4}px`;
  }

  function show(term) {
    clearTimeout(leaving);
    hide();
    shown = term;
    card.textContent = term.dataset.meaning;
    card.hidden = false;
    term.setAttribute("aria-describedby", card.id);
    place();
  }

  function hide() {
    shown?.removeAttribute("aria-describedby");
    shown = null;
    card.hidden = true;
  }

  // The pointer may go over to the card, to read it or to copy from it.
  function leave() {
    clearTimeout(leaving);
    leaving = setTimeout(hide, 200);
  }

  card.addEventListener("pointerenter", () => clearTimeout(leaving));
  card.addEventListener("pointerleave", leave);
  for (const term of document.querySelectorAll("a.term")) {
    term.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && show(term));
    term.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && leave());
    term.addEventListener("focus", () => term.matches(":focus-visible") && show(term));
    term.addEventListener("blur", hide);
    term.addEventListener("click", (event) => {
      if (event.pointerType !== "touch" || shown === term) return; // the second touch follows the link
      event.preventDefault();
      show(term);
    });
  }
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("scroll", place, { capture: true, passive: true });
}
