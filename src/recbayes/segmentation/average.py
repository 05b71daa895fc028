"""The posterior of a series averaged over models: each counts as much as its evidence, given the length, and its prior
say."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import logsumexp

from recbayes.checks.arrays import whole_number
from recbayes.errors import DataError
from recbayes.family.posterior import Latent, Posterior, ScoredTree
from recbayes.gaussian.model.moments import matched_moments
from recbayes.gaussian.posterior.decode import GaussianCells
from recbayes.gaussian.posterior.latents import gather_latents
from recbayes.gaussian.posterior.leaves import Belief, belief, leaf_parts
from recbayes.gaussian.posterior.posterior import SUSPICIOUS, GaussianPosterior
from recbayes.segmentation.defaults import Candidate
from recbayes.segmentation.noise import Source, noise_of
from recbayes.segmentation.units import View
from recbayes.tree.forest import Forest
from recbayes.tree.tree import Tree

DOUBTED, FEW = 0.1, 50.0  # the share of the posterior, and the effective sample size, from which on there is a warning
LIKELIER = 3.0  # times as probable as the data themselves their logarithms must be, for segments to be told in these


@dataclass(frozen=True, eq=False, repr=False)
class AveragePosterior(Posterior):
    """Draws of trees from several models of one series; it has all that a `Posterior` has.

    Attributes:
        models: the models that are averaged over, each a `Candidate`, whose `model` is a `GaussianRBN`.
        parts: the posterior by each model.
        log_ratios: for each model, what the log weights of its draws are to be changed by.
        shares: the models' posterior probabilities; they sum to one.
        log_evidences: those of the models, given the length.
    """

    models: tuple[Candidate, ...]
    parts: tuple[GaussianPosterior, ...]
    log_ratios: tuple[np.ndarray, ...]
    shares: np.ndarray
    log_evidences: np.ndarray

    @property
    def length(self) -> int:
        return self.parts[0].length

    @cached_property
    def trees(self) -> Forest:  # type: ignore[override]
        """All draws, model after model; rules of leaves are named with the model's kind."""
        names: dict[int, str] = {}
        rules: list[np.ndarray] = []
        known: dict[str, int] = {}
        for one, part in zip(self.models, self.parts, strict=True):
            numbers = {}
            for number, name in part.trees.rule_names.items():
                full = name if number >= 0 else f"{one.kind}: {name.removeprefix('emit').strip()}".removesuffix(": ")
                if full not in known:
                    known[full] = len(known) if number >= 0 else -1 - len(known)
                    names[known[full]] = full
                numbers[number] = known[full]
            rules.append(np.array([numbers[rule] for rule in part.trees.rules.tolist()], dtype=np.int32))
        forests = [part.trees for part in self.parts]
        ends = np.cumsum([0, *(len(forest.rules) for forest in forests)])
        columns = {
            name: np.concatenate([getattr(forest, name) for forest in forests])
            for name in ("variables", "starts", "ends", "arities")
        }
        first = np.concatenate([[0], *(forest.first[1:] + end for forest, end in zip(forests, ends[:-1], strict=True))])
        merged = np.concatenate(rules)
        return replace(forests[0], rule_names=names, rules=merged, first=first, **columns)  # type: ignore[arg-type]

    @cached_property
    def weights(self) -> np.ndarray:  # type: ignore[override]
        return np.concatenate([share * own for share, own in zip(self.shares, self._weights, strict=True)])

    @cached_property
    def _weights(self) -> list[np.ndarray]:
        """Of the draws of each model; they sum to one."""
        found = []
        for part, ratios in zip(self.parts, self.log_ratios, strict=True):
            weights = part.weights * np.exp(ratios - ratios.max()) if np.isfinite(ratios).any() else 0.0 * part.weights
            found.append(weights / max(weights.sum(), 1e-300))
        return found

    @property
    def log_evidence(self) -> float:
        """log p(Y) given the length, averaged over the models."""
        return float(logsumexp(self.log_evidences + np.log([one.probability for one in self.models])))

    @property
    def log_evidence_error(self) -> float:
        errors = np.array([part.log_evidence_error for part in self.parts])
        return float(np.sqrt((self.shares**2) @ errors**2))

    @property
    def effective_sample_size(self) -> float:
        return float(1.0 / (self.weights**2).sum())

    @property
    def method(self) -> str:
        return "by one model" if len(self.parts) == 1 else f"average over {len(self.parts)} models"

    @property
    def complaint(self) -> str:
        """Where models that count have charts far from their draws, or all draws together are worth little."""
        far = [abs(part.gap) if not part.enumerated else 0.0 for part in self.parts]
        doubted = float(self.shares[np.array(far) >= SUSPICIOUS].sum())
        if doubted > DOUBTED:
            return (
                f"models with {doubted:.0%} of the posterior have charts whose evidence is up to {max(far):.3g} nats from "
                "that of their draws, which may have missed some of it; compare the results of several seeds"
            )
        size, draws = self.effective_sample_size, len(self.trees)
        of_models = float(self.shares @ np.array([len(part.trees) for part in self.parts]))
        if of_models >= 2 * FEW and size < FEW:  # of fewer, nobody expects more
            return f"{draws} draws are worth {size:.3g} independent ones, and probabilities as uncertain; give more draws="
        return ""

    @cached_property
    def kinds(self) -> dict[str, float]:
        """Probabilities of the kinds of segments that the series has."""
        found: dict[str, float] = {}
        for one, share in zip(self.models, self.shares, strict=True):
            found[one.kind] = found.get(one.kind, 0.0) + float(share)
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    @cached_property
    def _leaves(self) -> dict[tuple[int, int], list[Source]]:
        return self._leaf_parts(None)

    @cached_property
    def _beliefs(self) -> dict[tuple[int, int], Belief]:
        return {}

    def _leaf_parts(self, wanted: Container[tuple[int, int]] | None) -> dict[tuple[int, int], list[Source]]:
        found: dict[tuple[int, int], list[Source]] = {}
        for one, share, part, weights in zip(self.models, self.shares, self.parts, self._weights, strict=True):
            for span, leaves in leaf_parts(part, weights, wanted).items():
                known = (leaf._replace(probability=share * leaf.probability) for leaf in leaves)
                found.setdefault(span, []).extend(
                    Source(leaf, one.bank, one.shared is not None, part.chart.series) for leaf in known
                )
        return found

    def leaf(self, start: int, end: int) -> Belief:
        """What is believed of a segment, given that it is one: its level, slope, noise and so on.

        Arguments:
            start: the first observation of the segment.
            end: the observation after its last. If no draw has such a segment, there is an error.
        """
        if (start, end) not in self._leaves:
            raise DataError(f"no draw has a segment {start}:{end}")
        known = self._beliefs
        if (start, end) not in known:
            sources = self._leaves[start, end]
            noise = noise_of(sources, (start, end))
            known[start, end] = belief([one.part for one in sources])._replace(noise=noise)
        return known[start, end]

    def leaves(self, spans: Iterable[tuple[int, int]]) -> dict[tuple[int, int], Belief]:
        """What is believed of those spans that some draw has as segments, by start and end: a `Belief` of each.

        Their noise is told as widely as the bank has it; `leaf` asks the residuals, too.

        Arguments:
            spans: the (start, end) of segments.
        """
        return {
            span: belief([one.part for one in sources])._replace(noise=noise_of(sources, None))
            for span, sources in self._leaf_parts(set(spans)).items()
        }

    def latents(self, spans: Iterable[tuple[int, int]] | None = None) -> dict[tuple[int, int], Latent]:
        """Values of nodes, by start and end (observations): mixtures over the models, by their moments.

        Arguments:
            spans: the (start, end) of the nodes that matter. None: all that occur in draws.
        """
        found: dict[tuple[int, int], list[tuple[float, np.ndarray, np.ndarray]]] = {}
        for share, part, weights in zip(self.shares, self.parts, self._weights, strict=True):
            positions = part.chart.plan.positions
            wanted = None if spans is None else np.searchsorted(positions, np.array(list(spans)).reshape(-1, 2))
            for (_, i, k), one in gather_latents(
                part.chart, part.trees, weights, part.prior_components, wanted=wanted
            ).items():
                own = share * one.probability, one.mean, one.covariance
                found.setdefault((int(positions[i]), int(positions[k])), []).append(own)
        latents = {}
        for span, moments in found.items():
            total = sum(weight for weight, *_ in moments)
            shared = [(weight / total, mean, covariance) for weight, mean, covariance in moments]
            latents[span] = Latent(*matched_moments(shared), float(min(total, 1.0)))
        return latents

    @cached_property
    def log_joint_of_trees(self) -> np.ndarray:  # type: ignore[override]
        """log p(Y, tree and model) of every draw."""
        return np.concatenate([self._scores(number)[part.kinds[1]] for number, part in enumerate(self.parts)])

    def _scores(self, number: int) -> np.ndarray:
        """log p(Y, tree and model), given the length, of the distinct trees by one of the models."""
        one, (representatives, _, scores) = self.models[number], self.parts[number].kinds
        return np.asarray(
            scores + self.log_ratios[number][representatives] + np.log(one.probability) + one.view.log_jacobian
        )

    @property
    def _even_weights(self) -> np.ndarray:
        return np.concatenate(
            [np.full(len(p.trees), s / len(p.trees)) for s, p in zip(self.shares, self.parts, strict=True)]
        )

    def best(self, count: int) -> list[ScoredTree]:
        """The most probable distinct trees among the draws, with log p(Y, tree and model) given the length.

        Arguments:
            count: how many, at most.
        """
        count = whole_number(count, "count", least=1, error=DataError)
        found = []
        for number, part in enumerate(self.parts):
            representatives, scores = part.kinds[0], self._scores(number)
            for t in np.argsort(-scores, kind="stable")[:count]:
                probability = float(np.exp(min(scores[t] - self.log_evidence, 0.0)))
                found.append(ScoredTree(part.trees[int(representatives[t])], float(scores[t]), probability))
        return sorted(found, key=lambda scored: -scored.log_joint)[:count]

    @cached_property
    def cells(self) -> GaussianCells:
        return GaussianCells(self.parts[0].chart, self.trees)

    def finish(self, tree: Forest) -> Tree:
        """Rules of leaves are those most frequent in the draws."""
        rules = tree.rules.copy()
        forest, points = self.trees, len(tree.positions)
        leaves = forest.arities == 0
        spans = forest.starts[leaves].astype(np.int64) * points + forest.ends[leaves]
        names = np.array(sorted(forest.rule_names))
        place = np.searchsorted(names, forest.rules[leaves])
        weights = self.weights[forest.owners[leaves]]
        own = np.flatnonzero(tree.arities == 0)
        wanted = tree.starts[own].astype(np.int64) * points + tree.ends[own]  # leaves of a tree come in order
        where = np.minimum(np.searchsorted(wanted, spans), len(wanted) - 1)
        hit = wanted[where] == spans
        totals = np.zeros((len(own), len(names)))
        np.add.at(totals, (where[hit], place[hit]), weights[hit])
        some = next(r for r in forest.rule_names if r < 0)
        rules[own] = np.where(totals.any(axis=1), names[totals.argmax(axis=1)], some)
        split = next((number for number in self.trees.rule_names if number >= 0), 0)
        rules[tree.arities > 0] = split
        return replace(tree, rules=rules, rule_names=self.trees.rule_names)[0]

    def dress(self, tree: Tree) -> Tree:
        return self.with_probabilities(tree)


def average(
    models: Sequence[Candidate], parts: Sequence[GaussianPosterior], log_ratios: Sequence[np.ndarray]
) -> AveragePosterior:
    """Posteriors of one series by several models, whose draws' weights are to be multiplied with ratios."""
    with np.errstate(divide="ignore"):
        log_evidences = np.array(
            [
                part.log_evidence + logsumexp(ratios + np.log(part.weights)) + one.view.log_jacobian
                for one, part, ratios in zip(models, parts, log_ratios, strict=True)
            ]
        )
    logs = log_evidences + np.log([one.probability for one in models])
    shares = np.exp(logs - logsumexp(logs))
    return AveragePosterior(tuple(models), tuple(parts), tuple(log_ratios), shares / shares.sum(), log_evidences)


def leaf_counts(part: GaussianPosterior) -> np.ndarray:
    """The number of segments of every draw."""
    return np.add.reduceat((part.trees.arities == 0).astype(np.int64), part.trees.first[:-1])


def likeliest_view(posterior: AveragePosterior) -> View:
    """How the series is best looked at: as it is, unless logarithms are much likelier."""
    totals: dict[int, float] = {}
    for one, share in zip(posterior.models, posterior.shares, strict=True):
        worth = float(share) / (LIKELIER if one.view.logarithms else 1.0)
        totals[id(one.view)] = totals.get(id(one.view), 0.0) + worth
    return max((one.view for one in posterior.models), key=lambda view: totals[id(view)])
