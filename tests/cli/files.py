"""Small files of every kind, good and bad, for commands to read."""

import io
import json
from pathlib import Path

import numpy as np

import recbayes as rb

rng = np.random.default_rng(0)
JUMP = np.round(np.repeat([20.0, 26.0], 20) + rng.normal(size=40), 2)
DAYS = np.arange("2024-01-01", "2024-02-10", dtype="M8[D]").astype(str)
GOOD = "date,value\n" + "".join(f"{day},{value}\n" for day, value in zip(DAYS, JUMP, strict=True))
TWO = "date,machine,value\n" + "".join(
    f"{day},{machine},{value + shift:.2f}\n"
    for day, value in zip(DAYS, JUMP, strict=True)
    for machine, shift in (("A", 0), ("B", 5))
)
GRAMMAR = "S -> S S [0.4] | 'a' [0.4] | 'b' [0.2]\n"


def model_text() -> str:
    """A small Gaussian model as it is saved."""
    numbers = {"prior_mean": 22.0, "prior_std": 4.0, "left_std": 3.0, "right_std": 3.0, "noise_std": 1.0}
    model = rb.GaussianRBN.create(1, **numbers, extra_observations=10.0)
    document = {"format": model.format, "version": 1, **model.to_data()}
    return json.dumps(document)


def npy(array: np.ndarray, pickled: bool = False) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=pickled)
    return file.getvalue()


def npz(pickled: bool = False, **arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, allow_pickle=pickled, **arrays)
    return file.getvalue()


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
