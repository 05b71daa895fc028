"""The libraries as their manuals call them, at their defaults.

ruptures needs a penalty, and its manual has two: `log(n) * dim * sigma**2` for the cost "l2", which leaves sigma to us, and
`pen=10` for "rbf", in its first example. Sigma is estimated from differences of neighbours, as the deviation of white
noise; the second l2 has twice this penalty, which is BIC with the place of a change counted as a parameter. claspy is called
with nothing told. Rbeast tells as many changes as its median says, the most probable ones; of seasons it is told the period,
as recbayes is. hmmlearn's GaussianHMM has the number of states of least BIC, as in its example of model selection; its
changes are those of the most probable states.

Only Rbeast and recbayes know missing values; for the others these are interpolated. ruptures and hmmlearn see columns in
units of their noise and of their deviation, as their results depend on units.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from recbayes.studies.real.methods import Method
from recbayes.studies.real.penalised import noise_deviation, overall_deviation

STATES = range(1, 7)  # of hidden Markov models that are compared
STARTS = 5  # of each


def recbayes(values: np.ndarray, seed: int, period: int | None = None) -> Sequence[int]:
    import recbayes as rb

    return [one.position for one in rb.segment(values, periods=() if period is None else period, seed=seed).changes]


def ruptures_l2(values: np.ndarray, seed: int, times: float = 1.0) -> Sequence[int]:
    import ruptures

    scaled = values / noise_deviation(values)
    length, columns = scaled.shape
    return ruptures.Pelt(model="l2").fit(scaled).predict(pen=times * np.log(length) * columns)[:-1]


def ruptures_twice(values: np.ndarray, seed: int) -> Sequence[int]:
    return ruptures_l2(values, seed, times=2.0)


def ruptures_rbf(values: np.ndarray, seed: int) -> Sequence[int]:
    import ruptures

    return ruptures.Pelt(model="rbf").fit(values / noise_deviation(values)).predict(pen=10)[:-1]


def ruptures_kernel(values: np.ndarray, seed: int) -> Sequence[int]:
    """The same as `l2`, at all positions: the part of ruptures that is compiled."""
    import ruptures

    scaled = values / noise_deviation(values)
    length, columns = scaled.shape
    return ruptures.KernelCPD(kernel="linear").fit(scaled).predict(pen=np.log(length) * columns)[:-1]


def claspy(values: np.ndarray, seed: int) -> Sequence[int]:
    from claspy.segmentation import BinaryClaSPSegmentation

    return [int(point) for point in BinaryClaSPSegmentation().fit_predict(values[:, 0] if values.shape[1] == 1 else values)]


def rbeast(values: np.ndarray, seed: int, period: int | None = None) -> Sequence[int]:
    import Rbeast

    if values.shape[1] > 1:
        raise ValueError("Rbeast takes columns as series of their own")
    season = {"season": "none"} if period is None else {"season": "harmonic", "period": period}
    found = Rbeast.beast(values[:, 0], **season, mcmc_seed=seed + 1, quiet=True)  # seed 0 would be another one every time
    numbers = (float(np.ravel(one)[0]) for one in (found.trend.ncp_median, found.trend.ncp_mode, found.trend.ncp))
    count = round(next(number for number in numbers if np.isfinite(number)))  # the median is sometimes NaN
    return sorted(int(time) - 1 for time in np.asarray(found.trend.cp)[:count])  # their times begin with 1


def hmmlearn(values: np.ndarray, seed: int) -> Sequence[int]:
    from hmmlearn.hmm import GaussianHMM

    scaled = (values - values.mean(axis=0)) / overall_deviation(values)
    models = [
        GaussianHMM(states, n_iter=100, random_state=1000 * seed + start).fit(scaled)
        for states in STATES
        for start in range(STARTS if states > 1 else 1)
    ]
    path = min(models, key=lambda model: model.bic(scaled)).predict(scaled)
    return (np.flatnonzero(np.diff(path)) + 1).tolist()


def filled(values: np.ndarray, seed: int, find: Callable[[np.ndarray, int], Sequence[int]]) -> Sequence[int]:
    """By a method that does not know missing values: they are interpolated, at the ends the nearest is repeated."""
    places = np.arange(len(values))
    seen = [np.flatnonzero(~np.isnan(column)) for column in values.T]
    columns = [np.interp(places, at, column[at]) for at, column in zip(seen, values.T, strict=True)]
    return find(np.stack(columns, axis=1), seed)


def methods(period: int | None = None) -> tuple[Method, ...]:
    """Those that find change points; `period` is told to those that take one."""
    return (
        Method("recbayes", "recbayes", partial(recbayes, period=period)),
        Method("ruptures-l2", "ruptures, l2", partial(filled, find=ruptures_l2), needs="ruptures"),
        Method(
            "ruptures-bic", "ruptures, l2, twice", partial(filled, find=partial(ruptures_l2, times=2.0)), needs="ruptures"
        ),
        Method("ruptures-rbf", "ruptures, rbf", partial(filled, find=ruptures_rbf), needs="ruptures"),
        Method("claspy", "claspy", partial(filled, find=claspy), needs="claspy"),
        Method("Rbeast", "Rbeast", partial(rbeast, period=period), needs="Rbeast"),
        Method("hmmlearn", "hmmlearn", partial(filled, find=hmmlearn), needs="hmmlearn"),
    )
