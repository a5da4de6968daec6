// Tables of class "sortable": a click on a column's head sorts, words and values filter.
"use strict";

const collator = new Intl.Collator("en", { numeric: true });

function content(row, column) {
  const cell = row.cells[column];
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
  const descending = head.ariaSort === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => compare(content(a, column), content(b, column), descending));
  table.tBodies[0].append(...rows);
}

function labelled(text, control) {
  const label = document.createElement("label");
  label.append(text, control);
  return label;
}

function choices(table, column) {
  const select = document.createElement("select");
  select.className = "form-select form-select-sm";
  const values = new Set([...table.tBodies[0].rows].map((row) => content(row, column)));
  select.append(new Option("all", ""));
  for (const value of [...values].sort(collator.compare)) {
    if (value) select.append(new Option(value, value));
  }
  return select;
}

function enhance(table) {
  const filters = new Map();
  const words = document.createElement("input");
  words.type = "search";
  words.className = "form-control form-control-sm";
  const form = document.createElement("form");
  form.className = "filters";
  form.setAttribute("role", "search");
  form.append(labelled("words", words));
  const count = document.createElement("p");
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

  function filter() {
    const wanted = words.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      const fits = [...filters].every(([i, s]) => !s.value || s.value === content(row, i));
      row.hidden = !(fits && wanted.every((word) => text.includes(word)));
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${table.tBodies[0].rows.length} rows`;
  }

  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  const reset = document.createElement("button");
  reset.type = "reset";
  reset.className = "btn btn-sm btn-outline-secondary";
  reset.textContent = "show all";
  form.append(reset);
  const wanted = new URLSearchParams(location.search); // such as ?table=Table 1
  for (const [column, select] of filters) {
    const value = wanted.get(table.tHead.rows[0].cells[column].textContent);
    if (value) select.value = value;
  }
  table.parentElement.before(form, count);
  filter();
}

document.querySelectorAll("table.sortable").forEach(enhance);
