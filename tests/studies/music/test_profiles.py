"""Profiles and keys: what is known of scales."""

from pathlib import Path

import numpy as np
import pytest

from recbayes.errors import FileError
from recbayes.studies.music.profiles import best_keys, correlations, from_tonic, key_of, key_templates, read_profiles

MAJOR = np.array([0.2, 0.01, 0.12, 0.01, 0.13, 0.1, 0.02, 0.2, 0.01, 0.09, 0.02, 0.09])
MINOR = np.array([0.2, 0.01, 0.12, 0.13, 0.01, 0.1, 0.02, 0.2, 0.1, 0.02, 0.05, 0.04])


def test_keys_of_turned_profiles() -> None:
    for tonic in range(12):
        assert key_of(np.roll(MAJOR, tonic)) == (tonic, "major")
        assert key_of(np.roll(MINOR, tonic)) == (tonic, "minor")
        assert np.array_equal(from_tonic(np.roll(MAJOR, tonic)), MAJOR)


def test_templates_are_what_was_given_in_all_keys() -> None:
    templates = key_templates([np.roll(MAJOR, 5), np.roll(MINOR, 2), np.roll(MAJOR, 3) * 2])
    assert [one.key for one in templates] == [(t, mode) for mode in ("major", "minor") for t in range(12)]
    assert np.array_equal(templates[7].values, np.roll(MAJOR, 7))
    values = np.stack([np.roll(MAJOR, 7) * 3 + 1, np.roll(MINOR, 4), np.full(12, np.nan), np.ones(12)])
    assert best_keys(values, templates).tolist() == [7, 16, -1, -1]


def test_correlations_are_numpy_s() -> None:
    random = np.random.default_rng(0)
    values, profiles = random.normal(size=(3, 12)), random.normal(size=(5, 12))
    assert correlations(values, profiles) == pytest.approx(np.corrcoef(values, profiles)[:3, 3:])


def test_published_profiles(tmp_path: Path) -> None:
    head = "source,mode," + ",".join(f"pc{step}" for step in range(12))
    path = tmp_path / "profiles.csv"
    path.write_text(f"{head}\nme,major,{','.join(map(str, 2 * MAJOR))}\nme,minor,{','.join(map(str, MINOR))}\n")
    major, minor = read_profiles(path)
    assert (major.source, major.mode, minor.mode) == ("me", "major", "minor")
    assert major.values == pytest.approx(MAJOR)
    for text, complaint in (
        ("a,b\n1,2\n", "line 2: source, mode and numbers"),
        (f"{head}\nme,dorian,{','.join(['1'] * 12)}\n", "line 2: a major or minor profile"),
        (f"{head}\nme,major,{','.join(['0'] * 12)}\n", "line 2: a major or minor profile"),
        (f"{head}\n", "has no profiles"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FileError, match=complaint):
            read_profiles(path)
    with pytest.raises(FileError, match="cannot be read"):
        read_profiles(tmp_path / "nowhere.csv")
