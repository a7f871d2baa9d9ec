"use strict";
// Headings become buttons that sort: up, down, and as it was. Each part of a table is sorted by itself.
const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

function compare(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  return typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
}

function valueOf(row, column) {
  const cell = row.cells[column];
  if (cell.tagName === "TH") return cell.textContent;
  const number = parseFloat(cell.textContent);  // "3 of 4" and "95%" begin with theirs; "-" has none
  return Number.isNaN(number) ? null : number;
}

function sort(parts, column, direction) {
  const sign = direction === "descending" ? -1 : 1;
  for (const { body, rows } of parts) {
    const keyed = rows.map((row) => ({ row, value: valueOf(row, column) }));
    if (direction !== "none") {
      keyed.sort((a, b) => (a.value === null || b.value === null ? 1 : sign) * compare(a.value, b.value));
    }
    body.append(...keyed.map(({ row }) => row));
  }
}

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const parts = [...table.tBodies].map((body) => ({ body, rows: [...body.querySelectorAll("tr.row")] }));
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const direction = NEXT[head.getAttribute("aria-sort")];
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", direction);
      sort(parts, column, direction);
    });
  });
}
