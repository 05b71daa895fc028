"""Annotated real series by `rb.segment`: with candidate boundaries, as always, and with charts over all positions.

    python -m benchmarks.full_charts DATA       # a folder of the Turing Change Point Dataset, or a JSON file

Prints for every series the change points and seconds of both, and the mean scores of `recbayes study real`.
"""

import argparse
import tempfile
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import recbayes as rb
from recbayes.segmentation import segment as segmentation
from recbayes.studies.real.methods import Method
from recbayes.studies.real.reading import read_collection
from recbayes.studies.real.report import write_report
from recbayes.studies.real.study import run


def candidates(values: np.ndarray, seed: int) -> Sequence[int]:
    return rb.segment(values, seed=seed, progress=False).change_points


def full(values: np.ndarray, seed: int) -> Sequence[int]:
    """Also of series that are long, and are looked at otherwise."""
    most, segmentation.MOST = segmentation.MOST, len(values)
    try:
        return rb.segment(values, seed=seed, boundaries=range(len(values) + 1), progress=False).change_points
    finally:
        segmentation.MOST = most


METHODS = Method("candidates", "candidates", candidates), Method("full", "full charts", full)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("data", type=Path)
    given = arguments.parse_args()
    warnings.simplefilter("ignore", rb.ApproximationWarning)
    rb.segment(np.random.default_rng(0).normal(size=100), seed=0)  # kernels are loaded
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as one_after_the_other:
        results = run(read_collection(given.data), folder, methods=METHODS, executor=one_after_the_other, progress=False)
        means = write_report(results, folder).tables["means"]
    for found in results.findings:
        what = found.problem or f"{found.seconds:7.2f} s, {list(found.change_points)}"
        print(f"{found.series.name:18} N = {len(found.series):4} {found.method.title:12} {what}")
    for row in means:
        print(row)
    for method in METHODS:
        print(f"{method.title}: {sum(one.seconds for one in results.findings if one.method == method):.1f} s in all")


if __name__ == "__main__":
    main()
