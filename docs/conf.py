"""The site of these pages: ``sphinx-build -W docs site`` (extra ``docs``).

Sphinx with MyST: its configuration lies in this folder, it reads the docstrings, and every warning can be an
error, also a link to a page or heading that does not exist. The reference is written anew at each build.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import reference_pages

import crosscheck

project = "crosscheck"
author = copyright = "The crosscheck developers"
version = release = crosscheck.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["site"]
html_theme = "furo"
# The board is a page of its own, beside the others.
html_extra_path = ["../reports/compatibility.html"]
html_title = f"crosscheck {version}"
myst_heading_anchors = 3
# Heads of questions and commands are sentences: the side of the page shows their pages only.
toc_object_entries = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
# Text of examples and help is not code of one language.
highlight_language = "none"

reference_pages.write(Path(__file__).parent / "reference")
