"""The tables in Markdown: the one with everything, then the numbers behind it with their intervals."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec

from benchmarks.compare.features import FACTS, LIBRARIES
from benchmarks.compare.quality import Cell, peer_versions
from benchmarks.compare.series import CHANGED, KINDS, QUIET
from recbayes.studies.bootstrap import Estimate
from recbayes.studies.writing import markdown

COLUMNS = {  # of the one table: the methods of each library
    "recbayes": ("recbayes",),
    "ruptures": ("ruptures, l2", "ruptures, l2, twice", "ruptures, rbf"),
    "claspy": ("claspy",),
    "Rbeast": ("Rbeast",),
    "hmmlearn": ("hmmlearn",),
    "torch-struct": (),
}
Measurement = tuple[str, tuple[str, ...], list[tuple[str, ...]]]  # title, columns, rows


@dataclass
class Everything:
    """What has been measured so far."""

    kinds: dict[str, dict[str, Cell]] = field(default_factory=dict)
    real: dict[bool, dict[str, Cell]] = field(default_factory=dict)
    box: dict[str, dict[str, str]] = field(default_factory=dict)
    seconds: dict[str, dict[int, float | None]] = field(default_factory=dict)
    charts: list[Measurement] = field(default_factory=list)


def charts() -> list[Measurement]:
    """Grammars and hidden Markov models; nothing where the peers are not installed."""
    if any(find_spec(name) is None for name in ("hmmlearn", "nltk", "torch", "torch_struct")):
        print("left out: grammars and HMMs (torch, torch-struct, nltk or hmmlearn is not installed)", file=sys.stderr)
        return []
    import torch

    from benchmarks import peers

    torch.set_num_threads(1)
    return [tuple(one) for one in (peers.against_hmmlearn(), peers.against_torch_struct())]


def everything(measured: Everything) -> str:
    blocks = [_one_table(measured)]
    if measured.kinds:
        blocks += [_kinds(measured, "F1"), _kinds(measured, "covering"), _alarms(measured)]
    if measured.real:
        blocks.append(_real(measured))
    if measured.box:
        rows = [[name, *(told.get(title, "") for title in _titles(measured.box))] for name, told in measured.box.items()]
        blocks.append("### Real series in the box: what is found\n\n" + markdown(["series", *_titles(measured.box)], rows))
    if measured.seconds:
        lengths = list(next(iter(measured.seconds.values())))
        rows = [[title, *(_seconds(spent[n]) for n in lengths)] for title, spent in measured.seconds.items()]
        blocks.append("### Seconds of one series\n\n" + markdown(["method", *(f"N = {n}" for n in lengths)], rows))
    blocks += [f"### {title}\n\n{markdown(list(columns), rows)}" for title, columns, rows in measured.charts]
    return "\n\n".join(block for block in blocks if block)


def progress(name: str, cells: dict[str, Cell]) -> str:
    return f"<!-- {name}: " + ", ".join(f"{title} {cell.f1.mean:.2f}" for title, cell in cells.items()) + " -->"


def _one_table(measured: Everything) -> str:
    """Facts, then means: what libraries are, beside how they do."""
    versions = peer_versions()
    rows = [["version", "this", *(versions[name] for name in LIBRARIES[1:])]]
    rows += [[feature, *answers] for feature, answers in FACTS]
    for name, cells in measured.kinds.items():
        if name in CHANGED:
            rows.append([f"F1, {KINDS[name].title}", *_cells({title: f"{c.f1.mean:.2f}" for title, c in cells.items()})])
    for name, cells in measured.kinds.items():
        if name in QUIET:
            shares = {title: f"{c.told.mean:.0%}" for title, c in cells.items()}
            rows.append([f"false alarms, {KINDS[name].title}", *_cells(shares)])
    for several, cells in measured.real.items():
        what = "several columns" if several else "one column"
        rows.append([f"F1, annotated, {what}", *_cells({title: f"{c.f1.mean:.2f}" for title, c in cells.items()})])
    lengths = list(next(iter(measured.seconds.values()), {}))
    for n in lengths:
        rows.append([f"seconds, N = {n}", *_cells({title: _seconds(s[n]) for title, s in measured.seconds.items()})])
    return markdown(["", *LIBRARIES], rows)


def _cells(values: dict[str, str]) -> list[str]:
    """One cell a library; several methods of one are divided by strokes."""
    return [" / ".join(values.get(title, "-") for title in titles) or "-" for titles in COLUMNS.values()]


def _kinds(measured: Everything, what: str) -> str:
    chosen = {name: cells for name, cells in measured.kinds.items() if name in CHANGED}
    titles = _titles(chosen)
    rows = [
        [KINDS[name].title, KINDS[name].home, *(_estimate(cells.get(title), what) for title in titles)]
        for name, cells in chosen.items()
    ]
    return f"### {what}, with 95 % intervals\n\n{markdown(['kind', 'at home', *titles], rows)}" if rows else ""


def _alarms(measured: Everything) -> str:
    chosen = {name: cells for name, cells in measured.kinds.items() if name in QUIET}
    titles = _titles(chosen)
    rows = [[KINDS[name].title, *(_estimate(c.get(t), "told") for t in titles)] for name, c in chosen.items()]
    return (
        f"### Share of series without a change in which one is found\n\n{markdown(['kind', *titles], rows)}" if rows else ""
    )


def _real(measured: Everything) -> str:
    blocks = []
    for several, cells in measured.real.items():
        rows = [
            [title, *(_estimate(cell, what) for what in ("covering", "F1")), f"{cell.series - cell.failed} of {cell.series}"]
            for title, cell in cells.items()
        ]
        names = ["method", "covering", "F1", "series"]
        what = "several columns" if several else "one column"
        blocks.append(f"### Annotated series of {what}\n\n{markdown(names, rows)}")
    return "\n\n".join(blocks)


def _estimate(cell: Cell | None, what: str) -> str:
    if cell is None:
        return "-"
    one: Estimate = {"covering": cell.cover, "F1": cell.f1, "told": cell.told}[what]
    few = f" ({cell.series - cell.failed} of {cell.series})" if cell.failed and what != "covering" else ""
    return f"{one.mean:.2f} [{one.low:.2f}, {one.high:.2f}]{few}"


def _titles(tables: dict) -> Sequence[str]:
    return list(dict.fromkeys(title for cells in tables.values() for title in cells))


def _seconds(spent: float | None) -> str:
    return "too long" if spent is None else f"{spent:.2g}" if spent < 10 else f"{spent:.0f}"
