// Tables of the site sort by a click on a head: numbers as numbers, empty cells last.
document.addEventListener("click", (event) => {
  const head = event.target.closest("th");
  const table = head?.closest("table");
  if (!table?.tBodies.length) return;
  const falling = head.dataset.order === "rising";
  const of = (row) => row.cells[head.cellIndex].textContent.trim();
  const number = (text) => Number(text.replace(/,/g, ""));
  const compare = (a, b) =>
    Number.isNaN(number(a)) || Number.isNaN(number(b)) ? a.localeCompare(b) : number(a) - number(b);
  const rows = [...table.tBodies[0].rows].sort((one, other) => {
    const [a, b] = [of(one), of(other)];
    if (!a || !b) return Number(!a) - Number(!b);
    return falling ? compare(b, a) : compare(a, b);
  });
  table.tBodies[0].append(...rows);
  head.dataset.order = falling ? "falling" : "rising";
});
