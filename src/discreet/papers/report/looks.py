"""How the page looks beyond what all reports share, and the few lines that sort its tables."""

from discreet.figures.looks import PAGE_STYLE

STYLE = (
    PAGE_STYLE
    + """
.id { color: var(--soft); font-weight: 400; font-size: .9em; }
.claim { margin: .25rem 0 .75rem; font-style: italic; }
.yes { color: var(--yes); font-weight: 600; white-space: nowrap; }
.no { color: var(--no); font-weight: 600; white-space: nowrap; }
.counts { display: flex; flex-wrap: wrap; gap: .5rem 2rem; padding: 0; margin: 1rem 0;
  list-style: none; }
.counts b { font-size: 1.5rem; display: block; line-height: 1.2; }
ul.plain li { margin-bottom: .5rem; }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0;
  padding: 0; cursor: pointer; text-align: inherit; }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
.checks td:nth-child(1) { min-width: 16rem; }
.checks td.ours { min-width: 12rem; }
td small { display: block; color: var(--soft); }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr));
  gap: .5rem 1rem; align-items: center; }
.legend svg { width: 100%; max-width: 30rem; height: auto; display: block; margin: 0 auto; }
.panels svg { width: 100%; max-width: 32rem; height: auto; display: block; }
nav ul { columns: 18rem; padding-left: 1.1rem; margin: .25rem 0 1rem; }
nav li { break-inside: avoid; }
@media (max-width: 40rem) { th, td { padding: .3rem .4rem; } h1 { font-size: 1.4rem; }
  .checks thead { position: absolute; left: -9999px; }
  .checks tr, .checks td { display: block; } .checks tr { border-bottom: 2px solid var(--line);
  padding: .5rem 0; } .checks td { border: 0; padding: .1rem 0; }
  .verdicts td:nth-child(4), .verdicts th:nth-child(4) { display: none; }
  .checks td[data-name]:not(:empty)::before { content: attr(data-name) ": ";
  color: var(--soft); } }
@media print { nav, details:not([open]) { display: none; } }
"""
)

SCRIPT = """
document.addEventListener("click", function (event) {
  var button = event.target.closest("th button");
  if (!button) return;
  var head = button.parentElement, table = head.closest("table"), body = table.tBodies[0];
  var place = head.cellIndex, up = head.getAttribute("aria-sort") !== "ascending";
  function key(row) {
    var cell = row.cells[place], value = cell.dataset.value;
    return value === undefined ? cell.textContent.trim() : Number(value);
  }
  Array.from(body.rows).sort(function (one, other) {
    var a = key(one), b = key(other);
    var order = typeof a === "number" && typeof b === "number" ? a - b
      : String(a).localeCompare(String(b), undefined, { numeric: true });
    return up ? order : -order;
  }).forEach(function (row) { body.appendChild(row); });
  Array.from(head.parentElement.cells).forEach(function (other) {
    other.removeAttribute("aria-sort");
  });
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
});
"""
