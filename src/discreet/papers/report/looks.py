"""How the page looks in light and dark, and the few lines that sort its tables."""

STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --paper: #ffffff; --soft: #5b6875;
  --line: #d9dfe5; --band: #f4f6f8; --link: #2a5d8f; --yes: #2e6b34; --no: #9c2f2f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ee; --paper: #14191f; --soft: #9aa7b4;
  --line: #36414c; --band: #1d242c; --link: #8fbce6; --yes: #8fce97; --no: #f09a9a; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
  color: var(--ink); background: var(--paper); }
main, header, nav { max-width: 62rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 2rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .5rem; padding-top: .75rem;
  border-top: 3px solid var(--line); }
h3 { font-size: 1.1rem; margin: 2.25rem 0 .25rem; }
a { color: var(--link); }
.id { color: var(--soft); font-weight: 400; font-size: .9em; }
.soft, caption, figcaption small { color: var(--soft); }
.claim { margin: .25rem 0 .75rem; font-style: italic; }
.yes { color: var(--yes); font-weight: 600; white-space: nowrap; }
.no { color: var(--no); font-weight: 600; white-space: nowrap; }
.counts { display: flex; flex-wrap: wrap; gap: .5rem 2rem; padding: 0; margin: 1rem 0;
  list-style: none; }
.counts b { font-size: 1.5rem; display: block; line-height: 1.2; }
.scroll { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-size: .875rem; width: 100%; }
caption { text-align: left; padding: .25rem 0; caption-side: top; }
ul.plain li { margin-bottom: .5rem; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th.number { text-align: right; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead th { background: var(--band); position: sticky; top: 0; }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0;
  padding: 0; cursor: pointer; text-align: inherit; }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
.checks td:nth-child(1) { min-width: 16rem; }
.checks td.ours { min-width: 12rem; }
td small { display: block; color: var(--soft); }
figure { margin: 1.25rem 0; }
figcaption { font-weight: 600; margin-bottom: .5rem; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr));
  gap: .5rem 1rem; align-items: center; }
.legend svg { width: 100%; max-width: 30rem; height: auto; display: block; margin: 0 auto; }
.panels svg { width: 100%; max-width: 32rem; height: auto; display: block; }
svg text { fill: currentColor; font-family: inherit; }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--link); }
nav ul { columns: 18rem; padding-left: 1.1rem; margin: .25rem 0 1rem; }
nav li { break-inside: avoid; }
a:focus-visible, button:focus-visible, summary:focus-visible, .scroll:focus-visible {
  outline: 2px solid var(--link); outline-offset: 2px; }
footer { max-width: 62rem; margin: 3rem auto 2rem; padding: 1rem; color: var(--soft);
  border-top: 1px solid var(--line); }
@media (max-width: 40rem) { th, td { padding: .3rem .4rem; } h1 { font-size: 1.4rem; }
  .checks thead { position: absolute; left: -9999px; }
  .checks tr, .checks td { display: block; } .checks tr { border-bottom: 2px solid var(--line);
  padding: .5rem 0; } .checks td { border: 0; padding: .1rem 0; }
  .verdicts td:nth-child(4), .verdicts th:nth-child(4) { display: none; }
  .checks td[data-name]:not(:empty)::before { content: attr(data-name) ": ";
  color: var(--soft); } }
@media print { nav, details:not([open]) { display: none; } }
"""

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
