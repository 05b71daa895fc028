"""Short series are drawn from by enumeration; these tests are about charts, so they do without, but for those about it."""

import pytest

from recbayes.gaussian.posterior import draws


@pytest.fixture(autouse=True)
def by_the_chart(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "all_trees" not in request.node.name:
        monkeypatch.setattr(draws, "all_trees", lambda chart: None)
