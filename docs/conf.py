"""How the documentation is built: Markdown pages (MyST), the API from docstrings, pictures drawn on the way.

Nothing is fetched from anywhere, neither while the site is built nor while it is read.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "extensions")]

import askwise  # noqa: E402
from askwise.view.palette import DARK, LIGHT, hex_of  # noqa: E402
from pictures import draw_all  # noqa: E402

draw_all(HERE / "drawn")

project = "askwise"
author = "The askwise developers"
project_copyright = author
version = release = askwise.__version__

extensions = [
    "myst_parser",
    "sphinx_copybutton",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "docstrings",
    "command_help",
    "results",
    "notebooks",
    "llms",
]
exclude_patterns = ["reproduced/**", "drawn", "extensions"]

# Single backticks in docstrings name things: a link where there is something of that name, else plain code.
default_role = "py:obj"
nitpicky = True
nitpick_ignore_regex = [
    ("py:obj", ".*"),
    # Types of other packages: no pages of ours, and no network to look for theirs.
    (
        "py:class",
        r"Field|Floor|Goals|Kind|Names|Path|Pixels|Place|Price|Question|Targets|askwise\.model\.names\.Names|askwise\.reading\.Field",
    ),
    # A private field of a record.
    ("py:class", r"askwise\.decisions\.search\.SearchResult"),
    # What PDDL was read into: parts of records whose methods are what others use.
    ("py:class", r"askwise\.pddl\.((language|tokens)\.\w+|task\.Lists)"),
    ("py:class", r"(argparse|collections|concurrent|gymnasium|matplotlib|numpy|pathlib|pettingzoo|polars|typing)\..*"),
]
# A goal in a file and a goal in a drawing have the same name; each is linked from where it is used.
suppress_warnings = ["ref.python"]
# Signatures say `FloatArray`, as the source does, and not what that stands for.
autodoc_type_aliases = {
    name: name
    for name in ("BoolArray", "FloatArray", "Floor", "GoalLike", "IntArray", "Pixels", "Place", "Seed", "StateLike")
}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autosummary_generate = False
napoleon_numpy_docstring = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# Copy what readers type: neither prompts nor what a command prints.
copybutton_prompt_text = "$ "
copybutton_line_continuation_character = "\\"
copybutton_selector = "div:not(.highlight-output) > div.highlight pre"

html_theme = "furo"
html_title = f"askwise {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    f"{kind}_css_variables": {f"color-brand-{part}": hex_of(look.link) for part in ("primary", "content")}
    for kind, look in (("light", LIGHT), ("dark", DARK))
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
