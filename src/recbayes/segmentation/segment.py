"""`rb.segment`: data in, change points, segments and their tree out."""

import warnings
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from recbayes.checks.arguments import executor_of, generator_of, listed
from recbayes.checks.arrays import MOST_DRAWS, short, whole_number
from recbayes.checks.many import run_many
from recbayes.checks.room import check_square
from recbayes.checks.series import Series
from recbayes.compiled.compilation import doing
from recbayes.data.frames import read_tables
from recbayes.data.table import Table
from recbayes.errors import ApproximationWarning, DataError
from recbayes.segmentation.average import AveragePosterior, likeliest_view
from recbayes.segmentation.call import call_of
from recbayes.segmentation.candidates import MOST, find_points, flat_probability
from recbayes.segmentation.decide import ChangePoint, decide
from recbayes.segmentation.defaults import COEFFICIENTS, EXPECTED, KINDS, NOISE, Candidate, default_models
from recbayes.segmentation.doubts import tell_doubts
from recbayes.segmentation.gaps import decide_across_gaps, rows_that_count
from recbayes.segmentation.infer import GivenSegments, Task, draw_average
from recbayes.segmentation.long import find_points as find_points_of_long
from recbayes.segmentation.long import first_look
from recbayes.segmentation.meeting import moved_to_meetings
from recbayes.segmentation.outlying import without_outliers
from recbayes.segmentation.points import NEGLIGIBLE, Points, places_of, with_outliers
from recbayes.segmentation.progress import Progress
from recbayes.segmentation.result import Segmentation
from recbayes.segmentation.sparse import with_noise_of_neighbours
from recbayes.segmentation.tell import told_tree
from recbayes.segmentation.units import View, views_of
from recbayes.segmentation.unplaced import boundaries_of
from recbayes.spans.constraints import AUTO, Constraints, constraints_of

WHITE = ("level", "trend")  # of columns that are mostly the same: memory would explain what is usual, at any level
TOLERANCE = 5
WATCHED = 2000  # observations of a series up to which each segment decides for itself which of its observations are outliers
MEMBERS = len(NOISE) * len(COEFFICIENTS)  # of the largest bank


@dataclass(frozen=True)
class _Settings:
    minimum: int
    segments: tuple[int, int] | None
    kinds: tuple[str, ...]
    periods: tuple[float, ...]
    tolerance: int | None
    logarithms: bool | None
    draws: int
    executor: Executor | None

    @property
    def expected(self) -> tuple[float, ...]:
        """Numbers of segments that models expect."""
        if self.segments is None:
            return EXPECTED
        least, most = self.segments
        return tuple(dict.fromkeys(float(one) for one in np.geomspace(max(least, 1.5), max(most, 1.5), 3)))


@doing("segment")
def segment(
    data: Any,
    *,
    time: Any = None,
    columns: Any = None,
    boundaries: Any = AUTO,
    min_length: int = 1,
    segments: int | tuple[int, int] | None = None,
    kinds: Sequence[str] | None = None,
    periods: float | Sequence[float] = (),
    tolerance: int | None = None,
    logarithms: bool | None = None,
    draws: int = 1000,
    seed: int | np.random.Generator | None = None,
    executor: Executor | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Any:
    """The change points of a series, its segments and their tree: a `Segmentation`; a list of them for a list of series.

    Nothing need be set: models of several kinds are averaged over, each counting as much as the data say. Change points are
    told where a change is more probable than not.

    Arguments:
        data: an array (observations, or observations by columns), a series or data frame of pandas, polars and others, a
            `Series`, or a list of these. NaN is missing.
        time: the name of a column of times, or a stamp for every row: numbers or dates that never go back. None takes an
            index of dates, else the only column of dates, else an index of numbers unless it merely counts from 0.
        columns: the columns to look at, by name or number, one or a list. None takes all; one that is no numbers is an
            error.
        boundaries: the rows at which segments may begin, for a list of series a list of these. "auto" (or None) looks for
            those where changes are likely, and `points` of the result says how many are expected elsewhere; range(N + 1) has
            all of them.
        min_length: the fewest observations of a segment.
        segments: the number of segments, or the fewest and the most. None lets the data decide.
        kinds: some of "level", "trend", "level + autoregressive" and "trend + autoregressive". None averages over all.
        periods: lengths of seasons, in observations, at least 2, that every segment has coefficients of its own for; they
            should come twice at least in the series.
        tolerance: a change is one within so many observations, on either side. None takes 5, fewer in series of less than
            20.
        logarithms: whether to look at the logarithms of positive data. None lets the data decide.
        draws: how many trees are drawn of each series, divided among the models by what they are worth; each model that
            counts has 100 at least, or as many as `draws` if these are fewer.
        seed: a whole number or a `numpy.random.Generator`, which decides all draws. None takes another one each time.
        executor: what runs the work, any of `concurrent.futures`: it is given series, or the models of a single one. None
            takes threads.
        n_jobs: how many jobs of joblib run it instead: threads, unless `joblib.parallel_config` says otherwise; -1 for all
            processors. None leaves it to the executor.
        progress: whether a line tells what is being done. None tells it on a terminal, if it takes long.
    """
    settings = _Settings(
        whole_number(min_length, "min_length", least=1, error=DataError),
        _range(segments),
        _kinds(kinds),
        _periods(periods),
        None if tolerance is None else whole_number(tolerance, "tolerance", least=0, error=DataError),
        _flag(logarithms, "logarithms"),
        whole_number(draws, "draws", least=1, most=MOST_DRAWS, error=DataError),
        executor_of(executor, n_jobs),
    )
    call = call_of(
        time=time, columns=columns, boundaries=None if isinstance(boundaries, str) else boundaries,
        min_length=min_length if min_length > 1 else None,
        segments=segments, kinds=kinds, periods=periods, tolerance=tolerance, logarithms=logarithms, draws=draws, seed=seed,
    )  # fmt: skip
    generator = np.random.default_rng() if seed is None else generator_of(seed)
    tables, single = read_tables(data, time=time, columns=columns)
    library = _library(data if single else data[0])
    known = constraints_of({"boundaries": boundaries}, len(tables), single)
    seeds = [int(generator.integers(2**62)) for _ in tables]
    tell_doubts(data, tables)
    found = []
    with Progress(_flag(progress, "progress"), len(tables)) as shown:
        if settings.executor is not None and len(tables) > 1:
            shown.stage("looking at all of them")
            alone = [replace(settings, executor=None)] * len(tables), [library] * len(tables)
            found = run_many(_segment_silently, tables, known, seeds, *alone, executor=settings.executor)
        else:
            for table, allowed, own in zip(tables, known, seeds, strict=True):
                shown.next_series()
                found.append(_segment_one(table, allowed, settings, own, library, shown))
    for one in found:
        if one.posterior.complaint:
            warnings.warn(one.posterior.complaint, ApproximationWarning, stacklevel=3)  # past the decorator
    found = [replace(one, call=call) for one in found]
    return found[0] if single else found


def _segment_silently(table: Table, known: Constraints, seed: int, settings: _Settings, library: str | None) -> Segmentation:
    """One of several series, by who is given it."""
    with Progress(False) as silent:
        return _segment_one(table, known, settings, seed, library, silent)


def _segment_one(
    table: Table, known: Constraints, settings: _Settings, seed: int, library: str | None, progress: Progress
) -> Segmentation:
    if np.isnan(table.values).all():
        raise DataError("all observations are missing; there is nothing to segment")
    if table.noise_covariance is not None:
        raise DataError("noise is found by itself: give the series without noise_covariance, or a model to sample_posterior")
    least = settings.minimum * (settings.segments[0] if settings.segments else 1)
    if len(table) < least:
        raise DataError(f"the series has {len(table)} observations, too few for min_length and segments: at least {least}")
    length = len(table)
    long = length > MOST and not settings.periods
    series = _series(table)
    _check_periods(settings.periods, series)
    views = views_of(series, settings.logarithms)
    usual = with_noise_of_neighbours(views)
    cleaned = [without_outliers(one) for one in views] if long and usual is views else usual
    kinds = WHITE if usual is not views and settings.kinds == KINDS else settings.kinds
    views = usual
    places = places_of(series, long)
    build = partial(
        default_models,
        cleaned,
        kinds=kinds,
        periods=settings.periods,
        minimum=settings.minimum,
        expected=settings.expected,
        also=() if settings.segments is None else np.geomspace(1.05, max(length / settings.minimum, 2.0), 12).tolist(),
        long=long,
    )
    progress.stage(f"looking for places of changes in {length} observations")
    wished = None if settings.segments is None else float(np.mean(settings.segments))
    given = known.boundaries is not None and not known.are_wanted
    if long:
        positions, step = (known.points(length), 1) if given else first_look(length)
        points = find_points_of_long(lambda finer: build(finer=finer), positions, step, places, wished, progress.stage)
        if length <= WATCHED:
            points = with_outliers(points, dict(zip(map(id, cleaned), views, strict=True)))
    elif given:
        points = _given_points(build(), known.points(length), places, wished)
    else:
        points = find_points(build(), places, wished)
    count = settings.segments or (1, length)
    task = Task(points.constraints, settings.draws, seed, count, settings.executor, progress)
    posterior = draw_average(*worth(points), task)
    tolerance = min(TOLERANCE, max(length // 4, 1)) if settings.tolerance is None else min(settings.tolerance, length)
    counts = rows_that_count(table.values, max(tolerance, 1))
    if counts.all() or settings.segments is not None or settings.minimum > 1:
        changes = decide(boundaries_of(posterior), length, tolerance, (count[0] - 1, count[1] - 1), settings.minimum)
    else:
        changes = decide_across_gaps(boundaries_of(posterior), counts, tolerance)
    view = likeliest_view(posterior)
    within = _given_segments(changes, posterior, view, task)
    moved = changes if given else moved_to_meetings(changes, within, tolerance)
    if moved != changes:
        changes, within = moved, _given_segments(moved, posterior, view, task)
    tree = told_tree(within, posterior, {one.position: one.within for one in changes})
    outliers = np.isnan(view.series.values) & ~np.isnan(table.values) if length > max(MOST, WATCHED) else None
    return Segmentation(
        table, tuple(changes), tree, posterior, within, points, tolerance, view.logarithms, library, outliers
    )


def _series(table: Table) -> Series:
    """With its times, if these leave gaps or coincide."""
    series = Series(table.values, times=table.times)
    regular = series.ticks is None or bool((np.diff(series.ticks) == 1).all())
    return Series(table.values) if regular else series


def _given_segments(changes: list[ChangePoint], posterior: AveragePosterior, view: View, task: Task) -> AveragePosterior:
    """Draws of trees over the segments between changes, by the models that look at the series in one way."""
    given = GivenSegments(boundaries=np.array([one.position for one in changes], dtype=np.int64))
    alike = [(one, share) for one, share in zip(posterior.models, posterior.shares, strict=True) if one.view is view]
    models, shares = [one for one, _ in alike], np.array([share for _, share in alike])
    return draw_average(models, shares, replace(task, constraints=given, count=(1, posterior.length)))


def _given_points(models: list[Candidate], positions: np.ndarray, places: np.ndarray, wished: float | None) -> Points:
    """The points that users give: there are no boundaries elsewhere."""
    positions = positions[places[positions]]
    check_square(len(positions), 8 * MEMBERS, "the evidence of all segments", "give fewer boundaries, or leave out periods")
    models_, shares, _ = flat_probability(models, positions, wished)
    return Points(positions, 0.0, 1, models_, shares)


def worth(points: Points) -> tuple[list[Candidate], np.ndarray]:
    """The models that matter, by what they are worth without a tree, with their shares."""
    chosen = np.flatnonzero(points.shares >= NEGLIGIBLE)
    return [points.models[n] for n in chosen], points.shares[chosen]


def _range(segments: Any) -> tuple[int, int] | None:
    if segments is None:
        return None
    if isinstance(segments, tuple | list | range):
        if len(segments) < 1 or (len(segments) > 2 and not isinstance(segments, range)):
            raise DataError(f"segments must be a number, or the fewest and the most, got {short(segments)}")
        ends = [whole_number(one, "segments", least=1, error=DataError) for one in (segments[0], segments[-1])]
        if ends[0] > ends[1]:
            raise DataError(f"segments must be a number, or the fewest and the most, got {short(segments)}")
        return ends[0], ends[1]
    number = whole_number(segments, "segments", least=1, error=DataError)
    return number, number


def _kinds(kinds: Any) -> tuple[str, ...]:
    if kinds is None:
        return KINDS
    given = [kinds] if isinstance(kinds, str) else listed(kinds, "kinds", "kinds of segments")
    if not given or any(not isinstance(one, str) or one not in KINDS for one in given):
        raise DataError(f"kinds must be some of {', '.join(KINDS)}, got {short(kinds)}")
    return tuple(dict.fromkeys(given))


def _periods(periods: Any) -> tuple[float, ...]:
    try:
        given = np.atleast_1d(np.asarray(periods))
        if given.size and given.dtype.kind not in "iufO":  # texts, truth values
            raise TypeError("no numbers")
        if any(isinstance(one, str | bytes) for one in given.flat):
            raise TypeError("texts")
        found = given.astype(np.float64)
    except (TypeError, ValueError) as problem:
        raise DataError(f"periods must be lengths of seasons in observations, got {short(periods)}") from problem
    if found.ndim != 1 or not (np.isfinite(found) & (found >= 2)).all():
        raise DataError(f"periods must be lengths of seasons of at least 2 observations, got {short(periods)}")
    return tuple(found.tolist())


def _check_periods(periods: tuple[float, ...], series: Series) -> None:
    """The coefficients of a season that is longer than the series would take the place of levels."""
    length, unit = (len(series), "observations") if series.ticks is None else (int(series.ticks[-1]), "ticks")
    for period in periods:
        if period > length:
            raise DataError(
                f"periods has a season of {period:g}, and the series lasts {length} {unit}; leave it out: a season is known "
                f"if it comes several times, twice at least, so that it is not longer than {length / 2:g} here"
            )


def _flag(value: Any, name: str) -> bool | None:
    if value is not None and not isinstance(value, bool | np.bool_):
        raise DataError(f"{name} must be True, False or None, got {short(value)}")
    return None if value is None else bool(value)


def _library(data: Any) -> str | None:
    name = type(data).__module__.split(".")[0]
    return name if name in ("pandas", "polars") else None
