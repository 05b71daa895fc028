"""How Sphinx builds the site: `make docs`. Nothing is fetched while it is built, and nothing by the pages themselves."""

import sys
from pathlib import Path

import recbayes

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "recbayes"
author = "the authors of recbayes"
copyright = author
release = version = recbayes.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "docstrings",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "_extensions", "gallery/plot_*", "gallery/README*", "gallery/GALLERY_HEADER*"]
templates_path = ["_templates"]

# Markdown: every heading is a place that links can name, as on the pages of the repository.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]

# Docstrings: `name` in them is the name of something, as everywhere in the texts.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
autodoc_inherit_docstrings = True
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_preprocess_types = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = False
toc_object_entries_show_parents = "hide"

# The gallery: pictures are drawn when its scripts are there.
if any((HERE / "gallery").glob("plot_*.py")):
    extensions.append("sphinx_gallery.gen_gallery")

html_theme = "pydata_sphinx_theme"
html_title = f"recbayes {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "faq": []}

# Prompts are not copied, and of a session only what was typed.
copybutton_prompt_text = r"\$ |> |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
