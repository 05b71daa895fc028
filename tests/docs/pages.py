"""Pages of the documentation as readers have them: their blocks, headings and links."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = tuple(sorted(page for page in DOCS.rglob("*.md") if not {"_build", "pictures"} & set(page.relative_to(DOCS).parts)))
FENCE = re.compile(r"( *)(`{3,}|~{3,}) *(\S*).*")
LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)")


@dataclass(frozen=True)
class Block:
    """What stands between fences: in which language, and below which line."""

    language: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    fence = ""
    language, begun, lines = "", 0, list[str]()
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        found = FENCE.fullmatch(line)
        if not fence and found:
            fence, language, begun, lines = found[2], found[3], number, []
        elif found and found[2].startswith(fence) and not found[3]:
            yield Block(language, dedent("\n".join(lines)) + "\n", begun)
            fence = ""
        elif fence:
            lines.append(line)
    assert not fence, f"{page}:{begun}: a block without an end"


def prose(page: Path) -> str:
    """The text of a page without its blocks; code keeps no brackets that look like links."""
    lines: list[str] = []
    fence = ""
    for line in page.read_text(encoding="utf-8").splitlines():
        found = FENCE.fullmatch(line)
        if not fence and found:
            fence = found[2]
        elif fence and found and found[2].startswith(fence) and not found[3]:
            fence = ""
        elif not fence:
            lines.append(line)
    return re.sub(r"(`+)[^`]+\1", lambda code: re.sub(r"[\[\]()]", "", code[0]), "\n".join(lines))


def anchors(page: Path) -> set[str]:
    """Names of a page's headings, as pages of repositories have them."""
    names: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.*)$", prose(page), re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()).replace(" ", "-")
        names.add(name if name not in names else f"{name}-{sum(one.startswith(name) for one in names)}")
    return names


def links(page: Path) -> list[str]:
    """Where the links and pictures of a page lead, within the repository."""
    return [where for where in LINK.findall(prose(page)) if not re.match(r"[a-z]+:", where)]
