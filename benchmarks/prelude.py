"""How the model in the box does on the piece in the box, which it has not seen, beside an expert's tree and baselines.

    python -m benchmarks.prelude --expert spans.csv

The file has the spans of an analysis in bars (columns start_bar and end_bar). Every bar is a leaf, so that what counts is
nodes above the level of bars, but for the root.
"""

import argparse
import csv

import numpy as np

import recbayes as rb
from recbayes.music.model import log_profiles, profiles
from recbayes.studies.music.agreement import ABOVE, percentile, tree_agreement
from recbayes.studies.music.baselines import BASELINES, RANDOM

RIVALS = 1000


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--expert", required=True)
    arguments.add_argument("--model", help="another model than the one in the box")
    given = arguments.parse_args()
    with open(given.expert, encoding="utf-8", newline="") as file:
        expert = rb.Tree.from_spans([(int(row["start_bar"]), int(row["end_bar"])) for row in csv.DictReader(file)])
    score = rb.music.prelude()
    counts, bars = rb.music.slice_score(score).counts, score.bars
    model, y = rb.music.pretrained() if given.model is None else rb.load(given.model), profiles(counts)

    def f1(tree: rb.Tree) -> float:
        return tree_agreement(expert, tree, bars, bars)[ABOVE].f1

    def log_probability(tree: rb.Tree) -> float:
        return rb.inside(model, y, allowed=tree.span_mask()).log_evidence

    posterior = rb.sample_posterior(model, y, draws=1000, seed=0, components=4)
    print(posterior)
    print(
        f"F1 above bars: tree of highest expected F1 {f1(posterior.tree()):.3f}, "
        f"most probable tree {f1(posterior.tree('map')):.3f}"
    )
    ends = list(range(1, len(y) + 1))
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
