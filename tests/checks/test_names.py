"""Names that are not there."""

import subprocess
import sys

import pytest

import recbayes as rb


@pytest.mark.parametrize(("name", "meant"), [("segmnt", "'segment'"), ("Segment", "'segment'"), ("HMMM", "'HMM'")])
def test_what_may_have_been_meant_is_said(name: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=rf"recbayes has no '{name}'; did you mean {meant}\?$"):
        getattr(rb, name)


def test_what_is_like_nothing_is_told_where_to_look() -> None:
    with pytest.raises(AttributeError, match=r"no 'quux_of_xyzzy'; dir\(recbayes\) lists its names"):
        _ = rb.quux_of_xyzzy  # type: ignore[attr-defined]
    assert not hasattr(rb, "__wrapped__")
    with pytest.raises(ImportError):
        from recbayes import segmnt  # type: ignore[attr-defined]  # noqa: F401


def test_it_is_said_once() -> None:
    code = "import recbayes as rb; rb.segmnt"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr
    assert said.rstrip().endswith("AttributeError: recbayes has no 'segmnt'; did you mean 'segment'?")
