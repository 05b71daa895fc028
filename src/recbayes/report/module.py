"""The script and the style of a report: one ES module to anywidget's contract, in the order in which its parts build on each
other."""

from functools import cache
from importlib.resources import files

SCRIPTS = ("basics", "decode", "axis", "panels", "scape", "words", "outline", "table", "frame", "report")


@cache
def part(name: str) -> str:
    """A file that lies beside this one."""
    return files("recbayes.report").joinpath("parts", name).read_text(encoding="utf-8")


def module() -> str:
    """The module, whose default export has `render({ model, el })`."""
    return "".join(part(f"{name}.js") for name in SCRIPTS)


def style() -> str:
    """All of its looks, below one class."""
    return part("report.css")
