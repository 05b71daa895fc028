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
    "names",
]
exclude_patterns = ["_build", "_extensions", "gallery"]
smartquotes_action = "D"  # dashes alone: quotes are often those of code

# Markdown: every heading is a place that links can name, as on the pages of the repository.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist"]

nitpicky = True  # every reference is checked

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_typehints_format = "short"
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"

# The gallery: its scripts draw when the site is built, and one that fails fails the build.
if any((HERE / "gallery").glob("plot_*.py")):
    from sphinx_gallery import backreferences

    extensions.append("sphinx_gallery.gen_gallery")
    sphinx_gallery_conf = {
        "examples_dirs": "gallery",
        "gallery_dirs": "pictures",
        "filename_pattern": "/plot_",
        "within_subsection_order": "gallery_order.order",
        "abort_on_example_error": True,
        "download_all_examples": False,
        "copyfile_regex": r"$^",
        "capture_repr": (),  # what is said is printed
        "show_memory": False,
        "show_signature": False,
        "min_reported_time": 3600,
        "write_computation_times": False,
        "remove_config_comments": True,
        "plot_gallery": "True",
    }

    # Pictures of the gallery's front page have no text of their own; they are called what their stories are called.
    backreferences.THUMBNAIL_TEMPLATE = backreferences.THUMBNAIL_TEMPLATE.replace(":alt:\n", ":alt: {title}\n")

html_theme = "pydata_sphinx_theme"
html_title = "recbayes"
html_logo = html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": f"recbayes {release}", "alt_text": "recbayes: the front page"},
    "show_prev_next": True,
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_center": [],
    "footer_end": ["sphinx-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "faq": []}

# Prompts are not copied, and of a session only what was typed.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"
