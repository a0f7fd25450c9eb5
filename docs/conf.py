"""How `make docs` builds the site: Sphinx with MyST and furo, without a network."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "discreet"
author = "the discreet maintainers"
release = version = version_of("discreet")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "commands",
    "docstrings",
    "formulas",
    "rooms",
    "sphinx.ext.napoleon",
]
napoleon_numpy_docstring = False
exclude_patterns = ["_build", "_extensions"]
needs_sphinx = "8.0"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

default_role = "code"
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries = False
suppress_warnings = ["ref.python"]  # short names of types that two rooms use

html_theme = "furo"
html_title = "discreet"
html_static_path = ["_static"]
html_css_files = ["discreet.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
smartquotes = False
html_permalinks_icon = "#"
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {
        "color-brand-primary": "#14532d",
        "color-brand-content": "#14603a",
        "font-stack": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
        "font-stack--monospace": "'DejaVu Sans Mono', ui-monospace, 'SF Mono', Menlo, Consolas, "
        "'Liberation Mono', monospace",
    },
    "dark_css_variables": {
        "color-brand-primary": "#86efac",
        "color-brand-content": "#6ee7a8",
    },
}
pygments_style = "friendly"
pygments_dark_style = "native"
