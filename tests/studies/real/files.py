"""Small annotated series, and the files of both layouts that hold them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

PUBLISHED = {"steps": {"zero": [0.5, 0.25], "bocpd": [0.75, 1.0], "gone": [None, None]}, "flat": {"zero": [1, 1]}}


def small_series() -> dict[str, dict[str, Any]]:
    """A step, nothing at all, and two columns that step together; some values are missing."""
    random = np.random.default_rng(0)
    step = np.where(np.arange(40) < 23, 0.0, 8.0) + random.normal(size=40)
    flat = random.normal(size=30)
    pair = np.stack([step, -step + 100.0]) + random.normal(size=(2, 40))
    return {
        "steps": {"columns": [_with_gaps(step)], "annotations": {"6": [23], "7": [22], "8": []}},
        "flat": {"columns": [flat.tolist()], "annotations": {"6": [], "7": []}},
        "pair": {"columns": [_with_gaps(row) for row in pair], "annotations": {"9": [11, 23]}},
    }


def write_one_file(path: Path, series: dict[str, dict[str, Any]] | None = None) -> Path:
    """Everything in one file."""
    content = {
        name: {
            "longname": name.title(),
            "columns": [f"V{number}" for number in range(len(one["columns"]))],
            "time": list(range(len(one["columns"][0]))),
            "values": one["columns"],
            "annotations": one["annotations"],
            **({"published_default_cover_f1": PUBLISHED[name]} if name in PUBLISHED else {}),
        }
        for name, one in (series or small_series()).items()
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def write_dataset(root: Path, *, exported: bool = False) -> Path:
    """The layout of the Turing Change Point Dataset: in folders, or as it is exported."""
    annotations = {name: one["annotations"] for name, one in small_series().items()}
    root.mkdir(parents=True)
    (root / "annotations.json").write_text(json.dumps(annotations), encoding="utf-8")
    for name, one in small_series().items():
        folder = root if exported else root / "datasets" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps(dataset_entry(name, one["columns"])), encoding="utf-8")
    return root


def dataset_entry(name: str, columns: list[list[float | None]]) -> dict[str, Any]:
    length = len(columns[0])
    return {
        "name": name,
        "longname": name.title(),
        "n_obs": length,
        "n_dim": len(columns),
        "time": {"index": list(range(length)), "format": "%Y", "raw": [str(1900 + year) for year in range(length)]},
        "series": [{"label": f"V{place}", "type": "float", "raw": column} for place, column in enumerate(columns)],
    }


def _with_gaps(values: np.ndarray) -> list[float | None]:
    return [None if place in (0, 4, 5, 30) else value for place, value in enumerate(values.tolist())]
