"""The music model: the same in all keys, with keys of pieces that are plain."""

import numpy as np
import pytest

import recbayes as rb
from recbayes.music.model import key_of, literal_model, literal_series, mode_profiles, profiles, start_model

MAJOR = np.array([4.0, 0, 2, 0, 3, 2, 0, 4, 0, 2, 0, 1])
MINOR = np.array([4.0, 0, 2, 3, 0, 2, 0, 4, 1, 0, 1, 1])


def piece(tonic: int, profile: np.ndarray = MAJOR, slices: int = 8, seed: int = 0) -> np.ndarray:
    """Sounding times about a profile; the first half is a fifth higher."""
    rng = np.random.default_rng(seed)
    keys = [tonic + 7] * (slices // 2) + [tonic] * (slices - slices // 2)
    return np.array([rng.poisson(3.0 * np.roll(profile, key)) * 0.25 for key in keys])


@pytest.mark.parametrize("moved", ["left", "right", "both"])
def test_transposing_changes_nothing(moved: str) -> None:
    y = profiles(piece(0))
    model = start_model([y], modes=("major", "minor"), moved=moved)  # type: ignore[arg-type]
    right = rb.inside(model, y).log_evidence
    for steps in (1, 5, 7):
        assert rb.inside(model, np.roll(y, steps, axis=1)).log_evidence == pytest.approx(right, abs=1e-8)


def test_modes_begin_at_their_tonics() -> None:
    series = [profiles(piece(tonic, seed=tonic)) for tonic in (0, 3, 7)]
    series += [profiles(piece(tonic, MINOR, seed=tonic)) for tonic in (2, 9)]
    found = mode_profiles(start_model(series, modes=("major", "minor")))
    assert list(found) == ["major", "minor"]
    assert found["major"][4] > found["major"][3]
    assert found["minor"][3] > found["minor"][4]
    for one in found.values():
        assert one.sum() == pytest.approx(1.0)
        assert {0, 7} <= set(np.argsort(-one)[:4].tolist())


def test_keys_of_profiles() -> None:
    modes = {"major": MAJOR / MAJOR.sum(), "minor": MINOR / MINOR.sum()}
    for tonic in range(12):
        assert key_of(np.roll(MAJOR, tonic), modes) == (tonic, "major")
        assert key_of(np.roll(MINOR, tonic), modes) == (tonic, "minor")
    assert key_of(np.ones(12), modes)[1] in modes  # nothing to tell, and no error


def test_the_fifth_is_found() -> None:
    """The first half leads to the second, from a fifth above."""
    y = [profiles(piece(tonic, seed=tonic, slices=12)) for tonic in range(4)]
    start = start_model(y, leaf=4.0)
    found = rb.fit(start, y, covariance="scalar", restarts=0, exact=None, standard_errors=False, fixed=["prior.*"])
    shifts = found.model.variables[0].rules[0].shifts
    assert max(shifts, key=lambda steps: shifts[steps]) in ((7, 0), (0, 0))
    assert shifts[7, 0] > 3.0 * max(weight for steps, weight in shifts.items() if steps not in ((7, 0), (0, 0)))


def test_the_papers_own_noise_hides_everything() -> None:
    """One count in all leaves a slice with a deviation of more than one in logarithms: one leaf explains the piece."""
    counts = piece(0, slices=8)
    y = literal_series(counts)
    assert (np.sqrt(y.noise_covariance) > 1.0).all()
    one = rb.sample_posterior(literal_model([profiles(counts)], leaf=8.0), y, draws=200, seed=0)
    assert one.node_probability[0, 4] < 0.3


def test_silence_is_missing_and_other_shapes_are_refused() -> None:
    counts = piece(0)
    counts[2] = 0.0
    assert np.isnan(profiles(counts)[2]).all()
    with pytest.raises(rb.DataError, match="12"):
        profiles(np.ones((4, 3)))
