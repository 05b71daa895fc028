"""Which rules a decoded tree uses: its spans come from node probabilities, which say nothing of shifts."""

from dataclasses import replace

import numpy as np

from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.posterior.follow import log_joints
from recbayes.tree.forest import Forest

MOST_CHANGES = 100


def best_rules(chart: Chart, tree: Forest, draws: Forest, weights: np.ndarray) -> Forest:
    """The tree (a forest of one) with good rules: those most frequent in the draws at the same node and split, then, as long
    as it raises the exact joint probability, one change after the other, the best first."""
    alike = [_alike(chart, int(rule)) for rule in tree.rules]
    rules = tree.rules.copy()
    for n, alternatives in enumerate(alike):
        if len(alternatives) > 1:
            rules[n] = _most_frequent(tree, n, alternatives, draws, weights)
    changes = [(n, rule) for n, alternatives in enumerate(alike) if len(alternatives) > 1 for rule in alternatives]
    best = replace(tree, rules=rules)
    if not changes:
        return best
    score = log_joints(chart, best)[0]
    nodes = np.array([n for n, _ in changes])
    for _ in range(MOST_CHANGES):
        variants = best.select(np.zeros(len(changes), dtype=np.int64))
        variants.rules[variants.first[:-1] + nodes] = [rule for _, rule in changes]
        scores = log_joints(chart, variants)
        found = int(scores.argmax())
        if not scores[found] > score + 1e-9:
            break
        best, score = variants.select(np.array([found])), scores[found]
    return best


def _alike(chart: Chart, rule: int) -> list[int]:
    """Rules that lead from the same variable to the same children (or observations), possible ones only."""
    tables, origins = tables_of(chart.model)
    if rule < 0:
        v = origins.emits[-1 - rule][0]
        return [-1 - e for e, (owner, *_) in enumerate(origins.emits) if owner == v]
    children = tables.links["child"][np.stack([tables.rules["left"], tables.rules["right"]])]
    owners = np.array([v for v, _, _ in origins.rules])
    same = (children == children[:, [rule]]).all(axis=0) & (owners == owners[rule])
    return np.flatnonzero(same).tolist()


def _most_frequent(tree: Forest, n: int, alternatives: list[int], draws: Forest, weights: np.ndarray) -> int:
    here = (draws.variables == tree.variables[n]) & (draws.starts == tree.starts[n]) & (draws.ends == tree.ends[n])
    for at_split in (here & (draws.splits == tree.splits[n]), here):
        totals = [float(weights[draws.owners[at_split & (draws.rules == rule)]].sum()) for rule in alternatives]
        if max(totals) > 0.0:
            return alternatives[int(np.argmax(totals))]
    return int(tree.rules[n])
