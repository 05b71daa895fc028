"""How the model in the box does on the piece in the box, which it has not seen, beside an expert's tree and baselines.

    python -m benchmarks.prelude --expert spans.csv

The file has the spans of an analysis in bars (columns start_bar and end_bar). Every bar is a leaf, so that what counts is
nodes above the level of bars, but for the root. `--slices` is for a `--model` whose passages have several slices.
"""

import argparse
import csv

import numpy as np

import recbayes as rb
from recbayes.music.analysis import passages
from recbayes.music.model import log_profiles, profiles
from recbayes.studies.music.agreement import ABOVE, percentile, tree_agreement
from recbayes.studies.music.baselines import BASELINES, RANDOM
from recbayes.studies.music.models import MusicModel, log_evidence, posterior_of

RIVALS = 1000
SLICES = 70


def _tell_bars(model: rb.music.Harmony, score: rb.music.Score) -> None:
    slices = rb.music.slice_score(score, SLICES)
    found = rb.music.analyse(score, per=SLICES, model=model, draws=200, seed=0)
    bars = rb.Tree.from_spans([(0, SLICES), *((bar, bar + 2) for bar in range(0, SLICES, 2))])
    assert np.allclose(slices.edges[::2], score.bars), "bars of this piece are two slices"
    print("bars in 70 slices:", rb.boundary_scores(bars, found.tree))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--expert", required=True)
    arguments.add_argument("--model", help="another model than the one in the box")
    arguments.add_argument("--balance", type=float, help="another balance than the model's")
    arguments.add_argument("--slices", action="store_true", help="only tell how well leaves in 70 slices are the bars")
    given = arguments.parse_args()
    with open(given.expert, encoding="utf-8", newline="") as file:
        expert = rb.Tree.from_spans([(int(row["start_bar"]), int(row["end_bar"])) for row in csv.DictReader(file)])
    score = rb.music.prelude()
    counts, bars = rb.music.slice_score(score).counts, score.bars
    model = rb.music.pretrained() if given.model is None else rb.load(given.model)
    if given.balance is not None:
        model = model.with_fields(balance=given.balance)
    if given.slices:
        _tell_bars(model, score)
        return
    box = MusicModel("box", "the model in the box", "bars", lambda counts, number: model, profiles)

    def f1(tree: rb.Tree) -> float:
        return tree_agreement(expert, tree, bars, bars)[ABOVE].f1

    def log_probability(tree: rb.Tree) -> float:
        return log_evidence(model, box, counts, tree.span_mask())

    posterior = posterior_of(model, box, counts, 1000, 0)
    print(posterior)
    print(
        f"F1 above bars: tree of highest expected F1 {f1(passages(posterior.tree())):.3f}, "
        f"most probable tree {f1(passages(posterior.tree('map'))):.3f}"
    )
    ends = list(range(1, len(counts) + 1))
    for name, make in BASELINES.items():
        print(f"  {name}: {f1(make(log_profiles(counts), ends)):.3f}")
    rng = np.random.default_rng(0)
    for name, draw in RANDOM.items():
        others = [draw(ends, rng) for _ in range(RIVALS)]
        found = percentile(log_probability, expert, others)
        print(
            f"  {name}: {np.mean([f1(one) for one in others]):.3f}; "
            f"the expert's tree is more probable than {found.share:.1%}"
        )


if __name__ == "__main__":
    main()
