"""Series in the box: what was published, entry by entry, and taken wherever a series is."""

from importlib.resources import files

import numpy as np
import pytest
from statsmodels.datasets import elnino, macrodata, nile

import recbayes as rb
from recbayes.data.example import Example
from recbayes.data.frames import read_table, read_tables

NILE = """
    1120 1160  963 1210 1160 1160  813 1230 1370 1140  995  935 1110  994 1020  960 1180  799  958 1140
    1100 1210 1150 1250 1260 1220 1030 1100  774  840  874  694  940  833  701  916  692 1020 1050  969
     831  726  456  824  702 1120 1100  832  764  821  768  845  864  862  698  845  744  796 1040  759
     781  865  845  944  984  897  822 1010  771  676  649  846  812  742  801 1040  860  874  848  890
     744  749  838 1050  918  986  797  923  975  815 1020  906  901 1170  912  746  919  718  714  740
"""  # as R has it (datasets::Nile)
OTHERS = {"Reading", "dirichlet_series", "fetch_wtc", "read_file"}
NAMES = [name for name in rb.data.__all__ if name not in OTHERS]
ALL = [getattr(rb.data, name) for name in NAMES]


def test_nile() -> None:
    found = rb.data.nile()
    np.testing.assert_array_equal(found.values[:, 0], np.array(NILE.split(), dtype=float))
    np.testing.assert_array_equal(found.values[:, 0], nile.load_pandas().data["volume"])
    np.testing.assert_array_equal(found.index, np.arange(1871, 1971))
    assert found.values.mean() == 919.35
    before, after = found.values[found.index <= 1898].mean(), found.values[found.index > 1898].mean()
    assert after < 0.8 * before


def test_us_growth() -> None:
    found = rb.data.us_growth()
    theirs = macrodata.load_pandas().data
    level = theirs["realgdp"].to_numpy()
    assert len(found) == len(level) - 1 == 202
    np.testing.assert_allclose(np.exp(found.values[:, 0].cumsum() / 400), level[1:] / level[0], rtol=1e-12)
    quarters = [
        np.datetime64(f"{int(year)}-{int(3 * quarter - 2):02}") for year, quarter in theirs[["year", "quarter"]].values
    ]
    np.testing.assert_array_equal(found.index, quarters[1:])
    early = found.index < np.datetime64("1984-01")
    assert found.values[~early].std() < 0.6 * found.values[early].std()
    rates = dict(zip(found.index.astype(str), 100 * np.expm1(found.values[:, 0] / 100), strict=True))
    published = {"2008-10": -5.4, "2009-01": -6.4}  # by the Bureau of Economic Analysis, in the autumn of 2009
    assert {quarter: round(rates[quarter], 1) for quarter in published} == published


def test_el_nino() -> None:
    found = rb.data.el_nino()
    theirs = elnino.load_pandas().data
    np.testing.assert_array_equal(found.values.reshape(61, 12), theirs.drop(columns="YEAR"))
    np.testing.assert_array_equal(found.index, np.arange("1950-01", "2011-01", dtype="datetime64[M]"))
    assert found.period == 12
    months = found.values.reshape(-1, found.period)
    assert months.mean(0).argmax() == 2  # March
    warmest = found.index[(months - months.mean(0)).ravel().argsort()[-6:]].astype("datetime64[Y]")
    assert {str(year) for year in warmest} <= {"1982", "1983", "1997", "1998"}


@pytest.mark.parametrize("make", ALL, ids=NAMES)
def test_records(make: object) -> None:
    found = make()  # type: ignore[operator]
    assert isinstance(found, Example)
    assert found.name == make.__name__  # type: ignore[attr-defined]
    assert found.values.shape == (len(found.index), len(found.names)) == (len(found), 1)
    assert all(isinstance(text, str) and text for text in (found.unit, found.description, found.source))
    assert f"{len(found)} observations" in repr(found)
    for array in (found.values, found.index):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]
    np.testing.assert_array_equal(np.asarray(found), found.values)
    assert np.array(found, dtype=np.float32).dtype == np.float32
    changed = np.array(found)
    changed[0] = 0.0
    assert found.values[0] != 0.0


@pytest.mark.parametrize("make", ALL, ids=NAMES)
def test_examples_are_read_with_their_labels(make: object) -> None:
    found = make()  # type: ignore[operator]
    table = read_table(found)
    np.testing.assert_array_equal(table.values, found.values)
    assert table.names == found.names
    assert table.label(5) == found.index[5]
    assert table.place(5) == str(found.index[5])
    assert table.times is not None
    assert read_tables([found, found])[1] is False


def test_examples_are_series() -> None:
    found = rb.data.nile()
    model = rb.LinearDynamicalSystem([[1.0]], [[1500.0]], [[1.0]], [[15000.0]], [1000.0], [[1e5]])
    chart = rb.inside(model, found)
    assert chart.log_evidence == rb.inside(model, found.values).log_evidence
    assert [one.log_evidence for one in rb.inside(model, [found, found])] == [chart.log_evidence] * 2


def test_files_are_small_and_say_where_they_come_from() -> None:
    box = files("recbayes.data").joinpath("in_the_box")
    sources = box.joinpath("SOURCES.md").read_text(encoding="utf-8")
    series = [file for file in box.iterdir() if file.name.endswith(".csv")]
    assert len(series) == len(ALL)
    for file in series:
        assert f"`{file.name}`" in sources
        assert len(file.read_bytes()) < 20_000
