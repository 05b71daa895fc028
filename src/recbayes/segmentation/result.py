"""`Segmentation`: what `rb.segment` found, in the terms of the data."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from recbayes.checks.arguments import flag, path_of, text
from recbayes.checks.files import write_whole
from recbayes.data.table import Table
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.segmentation.average import AveragePosterior
from recbayes.segmentation.decide import ChangePoint
from recbayes.segmentation.effects import Effect, effects_of
from recbayes.segmentation.points import Points
from recbayes.segmentation.rows import frame_of, rows_of
from recbayes.segmentation.seasons import likely_period
from recbayes.segmentation.texts import summary
from recbayes.segmentation.unplaced import UnplacedChange, boundaries_of, unplaced
from recbayes.tree.tree import Tree


@dataclass(frozen=True, eq=False, repr=False)
class Segmentation:
    """The change points of a series, its segments, and the tree over them, with their probabilities.

    Values of nodes are in the data's units, or in their logarithms if the data were taken in `logarithms`.

    Attributes:
        data: the series as it was read, with the labels of its rows and columns: a `Table`.
        changes: every change point, in order: a `ChangePoint` with its position (row), the probability of a change near it,
            and an interval.
        tree: the segments as leaves and what groups them. Probabilities of its nodes are those of a node with the same ends,
            give or take as much as the changes there are uncertain (their `within`).
        posterior: all draws of trees, averaged over models, before anything was decided: an `AveragePosterior`.
        given_segments: draws of trees over the segments found, likewise.
        points: the positions at which segments could begin, and how many boundaries are expected elsewhere: `Points`.
        tolerance: how many observations a change may be off to count as the same.
        logarithms: whether segments are told in the logarithms of the data.
        library: of data frames, that the data came from ("pandas", "polars"). None if there was no frame.
        outliers: (N, columns): observations of a long series that were taken for missing. None in series of up to 2000
            observations, where none are.
        call: the call by which it was found, as text.
    """

    data: Table
    changes: tuple[ChangePoint, ...]
    tree: Tree
    posterior: AveragePosterior
    given_segments: AveragePosterior
    points: Points
    tolerance: int
    logarithms: bool
    library: str | None = None
    outliers: np.ndarray | None = None
    call: str = ""

    @cached_property
    def change_points(self) -> list[Any]:
        """The label of the first row of every segment but the first: its position, or what the data's index says."""
        return [self.data.label(change.position) for change in self.changes]

    @cached_property
    def unplaced(self) -> tuple[UnplacedChange, ...]:
        """Changes that are more probable than not inside the segments, while their places are too uncertain to be told.

        Levels of these segments are averages over them. Each is an `UnplacedChange` with an interval, a probability, and the
        `tolerance` with which it would be told.
        """
        return unplaced(boundaries_of(self.posterior), self.changes, len(self.data), self.tolerance)

    @cached_property
    def effects(self) -> tuple[tuple[Effect, ...], ...]:
        """For every change what differs between the segments on both sides, the clearest first: in which column, and whether
        in level, slope or noise. Each is an `Effect`; what is not three deviations from zero is left out."""
        return effects_of(self)

    @cached_property
    def likely_period(self) -> int | None:
        """After how many observations the series seems to repeat itself; None if it does not, or if seasons were told.

        A hint by autocorrelations, which changes nothing: `periods` of `segment` takes seasons into account.
        """
        if self.posterior.models[0].leaf.periods:
            return None
        return likely_period(self.data.values, [change.position for change in self.changes])

    @property
    def boundary_probability(self) -> np.ndarray:
        """(N + 1,): the probability that a segment begins or ends at exactly this row; 1 at both ends."""
        return self.posterior.boundary_probability

    @property
    def model(self) -> GaussianRBN:
        """The most probable of the models that were averaged over (`posterior.models` has all of them): of the data, or of
        their logarithms if segments are told in these."""
        alike = np.array([one.view.logarithms == self.logarithms for one in self.posterior.models])
        return self.posterior.models[int(np.argmax(np.where(alike, self.posterior.shares, -1.0)))].model

    @property
    def kinds(self) -> Mapping[str, float]:
        """Probabilities of the kinds that segments of this series are of."""
        return self.posterior.kinds

    @property
    def labels(self) -> np.ndarray:
        """(N,): the number of its segment for every row, from 0: `frame["segment"] = found.labels` prepares to group by."""
        leaves = self.tree.leaves
        return np.repeat(np.arange(len(leaves)), [node.length for node in leaves])

    def rows(self, *, groups: bool = True) -> list[dict[str, Any]]:
        """One dictionary for each node of the tree, from the whole series down: see `table`.

        Arguments:
            groups: whether nodes that are no segments have theirs.
        """
        rows = rows_of(self)
        return rows if flag(groups, "groups") else [row for row in rows if row["kind"] != "group"]

    def table(self, *, groups: bool = True) -> Any:
        """One row for each node of the tree, from the whole series down, as a data frame of the library the data came from.

        Without one, of pandas or polars, if one of them is installed, or else a list of dictionaries. Rows have first and
        last observation, `depth`, `kind` ("group" for nodes that are no segments), `probability`, and of segments `level`,
        `slope` (per row or tick), `noise` and `coefficient` with 80 % intervals.

        Arguments:
            groups: whether nodes that are no segments have rows. False: row n is then segment n of `labels`.
        """
        return frame_of(self.rows(groups=groups), self.library)

    def summary(self) -> str:
        """What was found, in words."""
        return summary(self)

    def plot(self, *, figure: Any = None, figsize: tuple[float, float] | None = None) -> Any:
        """A figure: the series with its segments, where changes are likely, and the tree.

        Arguments:
            figure: the figure of matplotlib to draw into. None makes a new one.
            figsize: width and height of a new figure, in inches. None takes what is needed.
        """
        from recbayes.plot.segmented import segmented

        return segmented(self, figure=figure, figsize=figsize)

    def to_html(self, path: str | os.PathLike | None = None, *, title: str | None = None) -> str | Path:
        """A page that any browser opens: series, segments, tree and the probability of every span on one axis, to look at.

        It is one file that needs no network.

        Arguments:
            path: where to write it; the path is then returned. None returns the page as text.
            title: its heading. None takes one from the data.
        """
        from recbayes.report.page import report_page

        target = None if path is None else path_of(path)
        page = report_page(self, "" if title is None else text(title, "title"))
        if target is None:
            return page
        write_whole(target, page)
        return target

    def widget(self, *, title: str | None = None) -> Any:
        """The page of `to_html` as a widget for notebooks; its `span` is the stretch that is looked at, and can be set.

        It needs anywidget: `pip install 'recbayes[notebook]'`.

        Arguments:
            title: its heading. None takes one from the data.
        """
        from recbayes.report.widget import report_widget

        return report_widget(self, "" if title is None else text(title, "title"))

    def _repr_html_(self) -> str:
        """Changes, series, tree and table, for notebooks."""
        from recbayes.report.static import still

        return still(self)

    def __repr__(self) -> str:
        return self.summary()
