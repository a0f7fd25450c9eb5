"""How a page that stands alone looks, in light and dark and on paper: shared by all reports."""

PAGE_STYLE = """
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
.soft, caption, figcaption small { color: var(--soft); }
.scroll { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-size: .875rem; width: 100%; }
caption { text-align: left; padding: .25rem 0; caption-side: top; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th.number { text-align: right; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead th { background: var(--band); position: sticky; top: 0; }
figure { margin: 1.25rem 0; }
figcaption { font-weight: 600; margin-bottom: .5rem; }
svg text { fill: currentColor; font-family: inherit; }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--link); }
a:focus-visible, button:focus-visible, summary:focus-visible, .scroll:focus-visible {
  outline: 2px solid var(--link); outline-offset: 2px; }
footer { max-width: 62rem; margin: 3rem auto 2rem; padding: 1rem; color: var(--soft);
  border-top: 1px solid var(--line); }
"""

PLOT_STYLE = """
.plot { display: block; width: 100%; max-width: 30rem; height: auto; font-size: 13px; }
.plot .tick { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
.plot .mid { text-anchor: middle; }
.plot .end { text-anchor: end; }
.plot .value-label { font-weight: 650; }
.plot .bar { fill: var(--link); opacity: .45; }
.plot .strong { font-weight: 650; }
.plot .band { fill: var(--link); opacity: .2; }
.plot .curve { fill: none; stroke: var(--link); stroke-width: 2.5; }
.plot .spot { fill: var(--link); stroke: none; }
.plot .axis { stroke: var(--soft); stroke-width: 1; }
.plot .rule { stroke: var(--line); stroke-width: 1; }
.plot .whisker { stroke: var(--ink); stroke-width: 1.8; }
.plot .whisker.faint { stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 3 2; }
.plot .box.faint { fill: none; stroke: var(--soft); stroke-dasharray: 3 2; }
.plot .faint-dot { fill: var(--soft); }
.plot .median { stroke: var(--link); stroke-width: 3; }
.plot .box { stroke: var(--link); stroke-width: 1; }
.plot .dot { fill: var(--link); stroke: var(--paper); stroke-width: 2; }
.plot .pair-a, .plot .key-a { fill: var(--link); }
.plot .pair-b, .plot .key-b { fill: var(--soft); }
"""
"""The marks of `figures`, in the colours of such a page."""
