"""Models of three kinds that the documentation does not use, to see whether probabilities are honest there too."""

import numpy as np

import recbayes as rb


def two_kinds_of_nodes() -> rb.GaussianRBN:
    """Phrases of dimension two over notes of dimension one, which drift; a phrase shows nothing itself."""
    to_phrase = rb.Link(np.diag([0.3, 0.2]), np.array([[0.8, 0.1], [0.0, 0.9]]))
    to_note = rb.Link(np.array([[0.5]]), np.array([[1.0, 0.5]]), np.array([0.3]))
    phrase = (
        rb.Split(0.35, "phrase", "phrase", to_phrase, to_phrase),
        rb.Split(0.65, "note", "note", to_note, rb.Link(np.array([[0.2]]), np.array([[0.5, -1.0]]))),
    )
    drift = rb.Link(np.array([[0.4]]), offset=np.array([0.5]))
    note = (rb.Split(0.3, "note", "note", drift, drift), rb.Emit(0.7, np.array([[0.05]]), rb.OnePlusPoisson(0.7)))
    prior = rb.Prior("phrase", (rb.Component(np.array([1.0, -1.0]), np.eye(2)),))
    return rb.GaussianRBN((rb.Variable("phrase", 2, phrase), rb.Variable("note", 1, note)), prior)


def shifted_profiles() -> rb.GaussianRBN:
    """Three dimensions that are rotated on the way to the left or the right child, and leaves of very different lengths."""
    shifts = {(0, 0): 0.4, (1, 0): 0.3, (0, 2): 0.3}
    split = rb.Split(0.5, "x", "x", rb.Link(0.2 * np.eye(3)), rb.Link(np.diag([0.1, 0.3, 0.6])), shifts)
    emit = rb.Emit(0.5, 0.15 * np.eye(3) + 0.1, rb.OnePlusNegativeBinomial(1.5, 1.5))
    prior = rb.Prior("x", (rb.Component(np.array([2.0, 0.0, -1.0]), np.eye(3), 1.0, {0: 0.5, 1: 0.5}),))
    return rb.GaussianRBN((rb.Variable("x", 3, (split, emit)),), prior)


def two_regimes() -> rb.GaussianRBN:
    """Calm and wild segments that turn into each other, of which one column of two is seen; a prior of two Gaussians."""

    def split(probability: float, left: str, right: str, size: float) -> rb.Split:
        return rb.Split(probability, left, right, rb.Link(size * np.eye(2)), rb.Link(2 * size * np.eye(2)))

    seen = np.array([[1.0, 0.7]])
    calm = (
        split(0.2, "calm", "calm", 0.05),
        split(0.15, "calm", "wild", 0.3),
        rb.Emit(0.65, np.array([[0.02]]), rb.LengthTable((0.2, 0.3, 0.5)), seen),
    )
    wild = (split(0.3, "wild", "calm", 0.5), rb.Emit(0.7, np.array([[1.0]]), rb.OnePlusPoisson(1.0), seen))
    components = (
        rb.Component(np.array([3.0, 0.0]), 0.5 * np.eye(2), 0.4),
        rb.Component(np.array([-1.0, 1.0]), np.eye(2), 0.6),
    )
    return rb.GaussianRBN((rb.Variable("calm", 2, calm), rb.Variable("wild", 2, wild)), rb.Prior("calm", components))


FAMILIES = {"two kinds of nodes": two_kinds_of_nodes, "shifted profiles": shifted_profiles, "two regimes": two_regimes}


def probabilities_and_truth(
    model: rb.GaussianRBN, count: int, draws: int, missing: float = 0.1
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """For every series drawn from the model, the probabilities of all its spans but the root, and whether they are nodes."""
    rng = np.random.default_rng(0)
    made = [model.sample(seed=seed, min_length=6, max_length=14) for seed in range(count)]
    data = [np.where(rng.random(y.shape) < missing, np.nan, y) for y, _ in made]
    probabilities, truths = [], []
    for (y, tree), posterior in zip(made, rb.sample_posterior(model, data, draws=draws, seed=1), strict=True):
        inner = np.triu(np.ones((len(y) + 1, len(y) + 1), dtype=bool), 1)
        inner[0, -1] = False
        truth = np.zeros(inner.shape)
        truth[tuple(np.array(tree.spans).T)] = 1.0
        probabilities.append(posterior.node_probability[inner])
        truths.append(truth[inner])
    return probabilities, truths


def distances(probabilities: list[np.ndarray], truths: list[np.ndarray], bins: int = 10) -> np.ndarray:
    """By bins of probability: spans, mean probability, the share that exists, and their distance in binomial errors."""
    p, truth = np.concatenate(probabilities), np.concatenate(truths)
    number = np.minimum((p * bins).astype(int), bins - 1)
    rows = []
    for one in range(bins):
        here = (number == one) & (p > 0)
        error = np.sqrt((p[here] * (1 - p[here])).sum()) / max(here.sum(), 1)
        gap = truth[here].mean() - p[here].mean() if here.any() else 0.0
        rows.append((here.sum(), p[here].mean() if here.any() else np.nan, gap, gap / error if error > 0 else 0.0))
    return np.array(rows)
