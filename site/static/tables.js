// Tables of class "sortable": a click on a column's head sorts, words and values filter, and a
// record that has details unfolds them. A record is a tbody: its row, and a row of details.
"use strict";

// Scripts of a page share one scope; this block keeps its names apart.
{
  const collator = new Intl.Collator("en", { numeric: true });

  const cellsOf = (record) => record.rows[0].cells;

  function content(record, column) {
    const cell = cellsOf(record)[column];
    return cell.dataset.value ?? cell.textContent;
  }

  function compare(a, b, descending) {
    if (a === "" || b === "") return (a === "") - (b === ""); // nothing comes last either way
    const numbers = [Number(a), Number(b)];
    const order = numbers.some(Number.isNaN) ? collator.compare(a, b) : numbers[0] - numbers[1];
    return descending ? -order : order;
  }

  function sortBy(table, column) {
    const head = table.tHead.rows[0].cells[column];
    const descending = head.getAttribute("aria-sort") === "ascending";
    for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const records = [...table.tBodies];
    records.sort((a, b) => compare(content(a, column), content(b, column), descending));
    table.append(...records);
  }

  function labelled(text, control) {
    const label = document.createElement("label");
    label.append(text, control);
    return label;
  }

  function choices(table, column) {
    const select = document.createElement("select");
    select.className = "form-select form-select-sm";
    const values = new Set([...table.tBodies].map((record) => content(record, column)));
    select.append(new Option("all", ""));
    for (const value of [...values].sort(collator.compare)) {
      if (value) select.append(new Option(value, value));
    }
    return select;
  }

  function unfold(record, open = true) {
    record.rows[1].hidden = !open;
    record.querySelector(".unfold").setAttribute("aria-expanded", String(open));
    if (open) record.dispatchEvent(new Event("unfold", { bubbles: true }));
  }

  // A button in the first cell of a record that has details.
  function makeFoldable(record) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "unfold";
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-label", `details of ${cellsOf(record)[0].textContent}`);
    button.addEventListener("click", () => unfold(record, record.rows[1].hidden));
    cellsOf(record)[0].prepend(button, " ");
  }

  function unfoldLinked() {
    const record = document.getElementById(location.hash.slice(1))?.closest("tbody");
    if (record?.rows[1]) unfold(record);
  }

  function enhance(table) {
    const filters = new Map();
    const words = document.createElement("input");
    words.type = "search";
    words.className = "form-control form-control-sm";
    const form = document.createElement("form");
    form.className = "filters";
    form.setAttribute("role", "search");
    form.setAttribute("aria-label", `filters of ${table.getAttribute("aria-label")}`);
    form.append(labelled("search words", words));
    const count = document.createElement("p");
    count.className = "count";
    count.setAttribute("role", "status");

    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sortBy(table, column));
      head.append(button);
      if (!("filter" in head.dataset)) return;
      filters.set(column, choices(table, column));
      form.append(labelled(button.textContent, filters.get(column)));
    });
    for (const record of table.tBodies) if (record.rows[1]) makeFoldable(record);

    function fits(record) {
      // Without the plot, which only an unfolded record has.
      const searched = [...cellsOf(record), ...record.querySelectorAll(".facts")];
      const text = searched.map((place) => place.textContent).join(" ").toLowerCase();
      const wanted = words.value.toLowerCase().split(/\s+/);
      const chosen = [...filters].filter(([, select]) => select.value);
      return wanted.every((word) => text.includes(word))
        && chosen.every(([column, select]) => select.value === content(record, column));
    }

    function filter() {
      let shown = 0;
      for (const record of table.tBodies) {
        record.hidden = !fits(record);
        shown += !record.hidden;
      }
      count.textContent = `${shown} of ${table.tBodies.length} rows`;
    }

    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(filter));
    const reset = document.createElement("button");
    reset.type = "reset";
    reset.className = "btn btn-sm show-all";
    reset.textContent = "show all";
    form.append(reset);
    const wanted = new URLSearchParams(location.search); // such as ?table=Table 1
    for (const [column, select] of filters) {
      const value = wanted.get(table.tHead.rows[0].cells[column].textContent);
      if (value) select.value = value;
      if (select.selectedIndex === -1) select.value = ""; // a value that the table does not have
    }
    table.parentElement.before(form, count);
    filter();
  }

  document.querySelectorAll("table.sortable").forEach(enhance);
  unfoldLinked();
  window.addEventListener("hashchange", unfoldLinked);
}
