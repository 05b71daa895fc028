"""The report as a widget of notebooks: the same module, told the same document."""

from functools import cache
from typing import Any

from recbayes.errors import DataError
from recbayes.report.data import report_data
from recbayes.report.module import module, style
from recbayes.segmentation.result import Segmentation


def report_widget(found: Segmentation, title: str = "") -> Any:
    """A widget; its `span` is what is looked at, as first row and the row after the last, and can be set."""
    return _kind()(data=report_data(found, title), span=[0, len(found.data)])


@cache
def _kind() -> Any:
    """The class, which exists where anywidget does."""
    try:
        import anywidget
        import traitlets
    except ImportError as problem:
        raise DataError(f"the widget needs anywidget: pip install 'recbayes[notebook]' ({problem})") from None

    class Report(anywidget.AnyWidget):  # type: ignore[misc]
        """What `rb.segment` found, to look at and to zoom into."""

        _esm, _css = module(), style()
        data = traitlets.Dict().tag(sync=True)
        span = traitlets.List(traitlets.Int()).tag(sync=True)

        def __repr__(self) -> str:
            return f"Report({self.data['title']}: {self.data['lead']})"

    return Report
