// Sorts the list of games by a click on a heading, and hides the games that a search does not find.

const table = document.querySelector("table.games");
const search = document.querySelector(".games-search");

/** What a cell is sorted by; results with fractions sort as texts, too. */
const value = (row, column) => row.cells[column].textContent.trim();

function sortBy(heading) {
  const column = heading.cellIndex;
  const isAscending = heading.ariaSort !== "ascending";
  for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", isAscending ? "ascending" : "descending");

  const direction = isAscending ? 1 : -1;
  const order = new Intl.Collator(undefined, { numeric: true });
  const body = table.tBodies[0];
  const keyed = [...body.rows].map((row) => [value(row, column), row]);
  keyed.sort(([a], [b]) => direction * order.compare(a, b));
  body.append(...keyed.map(([, row]) => row));
}

function find() {
  const words = search.value.toLowerCase().split(/\s+/);
  const rows = [...table.tBodies[0].rows];
  let found = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
    if (!row.hidden) found += 1;
  }
  document.querySelector(".games-found").textContent = search.value ? `${found} of ${rows.length} games` : "";
}

table?.tHead.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) sortBy(button.closest("th"));
});
search?.addEventListener("input", find);
