// A picture of a page opens alone at a click, where it can be enlarged.
"use strict";

for (const picture of document.querySelectorAll(".bd-article img")) {
  if (picture.closest("a")) continue;
  const link = document.createElement("a");
  link.href = picture.src;
  picture.replaceWith(link);
  link.append(picture);
}
