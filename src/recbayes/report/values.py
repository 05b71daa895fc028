"""What a page tells of a span: its kind, and of every column level, slope, noise and memory, with intervals of 80 %."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import ndtri

from recbayes.gaussian.posterior.leaves import INTERVAL, Belief, Mixture
from recbayes.report.rounding import decimals, rounded, significant
from recbayes.segmentation.average import AveragePosterior
from recbayes.segmentation.result import Segmentation

QUANTITIES = ("slope", "noise", "coefficient")
WIDE = float(ndtri(INTERVAL[1]))  # deviations of a normal distribution to the end of its interval
LARGE = 200_000  # nodes in all draws, from which on only those of the tree have values
MOST, OF_SEVERAL = 600, 120  # spans that are not in the tree; of several columns, spans times columns: these take long


def nodes_of(found: Segmentation, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The nodes of the tree, in preorder, as the rows of `found.table()` tell them."""
    digits = decimals(found.data.values)
    told = []
    for node, arity, row in zip(found.tree.nodes, found.tree.arities, rows, strict=True):
        one: dict[str, Any] = {"start": node.start, "end": node.end, "arity": arity, "depth": row["depth"]}
        one |= {"probability": significant(row["probability"]), "kind": row["kind"]}
        if arity:
            one["level"] = _levels(node.value, node.covariance, digits, found.logarithms)
        else:
            belief = found.given_segments.leaf(node.start, node.end)
            one |= {"kinds": _kinds(belief)} | {name: _of_rows(row, name, digits) for name in ("level", *QUANTITIES)}
        told.append(one)
    return told


def values_of(found: Segmentation, spans: Iterable[tuple[int, int]]) -> list[dict[str, Any]]:
    """What is known of spans that draws have, the given ones first until there is no room; intervals are those of normal
    distributions with their means and deviations."""
    if len(found.posterior.trees.rules) > LARGE:
        return []
    posterior = _in_units(found)
    columns, digits = found.data.values.shape[1], decimals(found.data.values)
    chosen = list(spans)[: MOST if columns == 1 else max(OF_SEVERAL // columns, 12)]
    latents, leaves = posterior.latents(chosen), posterior.leaves(chosen)
    told = []
    for start, end in chosen:
        if (start, end) not in latents:
            continue  # only draws that look at the series in another way have it
        one: dict[str, Any] = {"start": start, "end": end}
        one["level"] = _levels(*latents[start, end][:2], digits, found.logarithms)
        belief = leaves.get((start, end))
        if belief is not None:  # else it is a group in all draws
            share = min(belief.probability / max(latents[start, end].probability, 1e-300), 1.0)
            one |= {"segment": significant(share, 3), "kinds": _kinds(belief)}
            one |= {name: _of_mixture(getattr(belief, name)) for name in QUANTITIES}
        told.append(one)
    return told


def _in_units(found: Segmentation) -> AveragePosterior:
    """Draws of those models alone that look at the series as it is told, or at its logarithms."""
    posterior = found.posterior
    alike = [n for n, one in enumerate(posterior.models) if one.view.logarithms == found.logarithms]
    if len(alike) == len(posterior.models):
        return posterior
    some = {name: tuple(getattr(posterior, name)[n] for n in alike) for name in ("models", "parts", "log_ratios")}
    shares = posterior.shares[alike]
    return replace(posterior, **some, shares=shares / shares.sum(), log_evidences=posterior.log_evidences[alike])


def _levels(mean: Any, covariance: Any, digits: list[int], logarithms: bool) -> list[list[float | None]] | None:
    if mean is None:
        return None
    deviation = WIDE * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    ends = np.array([mean, mean - deviation, mean + deviation])
    with np.errstate(over="ignore"):
        ends = np.exp(ends) if logarithms else ends
    return [rounded(column, places) for column, places in zip(ends.T, digits, strict=True)]


def _of_rows(row: dict[str, Any], name: str, digits: list[int]) -> list[list[float | None]]:
    """Of every column, the number and the ends of its interval."""
    keys = [[key for key in row if key.split(" ", 1)[0] == kind] for kind in (name, f"{name}_low", f"{name}_high")]
    triples = [[row[key] for key in column] for column in zip(*keys, strict=True)]
    if name == "level":
        return [rounded(np.array(triple), places) for triple, places in zip(triples, digits, strict=True)]
    return [[significant(value) for value in triple] for triple in triples]


def _of_mixture(mixture: Mixture) -> list[list[float | None]]:
    deviation = WIDE * mixture.std
    if mixture.deviations.any():
        low, high = mixture.mean - deviation, mixture.mean + deviation
    else:
        low, high = (mixture.quantile(share) for share in INTERVAL)
    columns = zip(mixture.mean.tolist(), low.tolist(), high.tolist(), strict=True)
    return [[significant(value) for value in column] for column in columns]


def _kinds(belief: Belief) -> dict[str, float | None]:
    return {kind: significant(p, 3) for kind, p in belief.kinds.items() if p >= 0.005}
