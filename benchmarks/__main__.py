"""`make bench` prints these tables. One thread; times are medians; a ratio below one is faster than the yardstick."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("NUMBA_NUM_THREADS", "1")

import warnings

import numpy as np
from rich.console import Console
from rich.table import Table

import recbayes as rb
from benchmarks.long_series import long_series
from benchmarks.timing import (
    against_yardstick,
    in_threads,
    pairs,
    paper_model,
    peak_memory,
    peak_of,
    sample,
    seconds,
    start_up,
)

CONSOLE = Console()
THREADS = os.cpu_count() or 1


def table(title: str, *columns: str) -> Table:
    made = Table(title=title, title_justify="left")
    for column in columns:
        made.add_column(column, justify="right")
    return made


def speed() -> None:
    rows = table("Against the yardstick", "work", "N", "D", "rules", "ms", "ns per pair", "yardstick ms", "ratio", "at most")
    cases = [
        ("inside", 50, 3, 2, 0.4),
        ("inside + gradient", 50, 3, 2, 1.2),
        ("inside + outside", 50, 3, 2, None),
        ("inside", 70, 12, 12, 0.35),
        ("inside + gradient", 70, 12, 12, 0.9),
        ("inside", 200, 3, 2, 0.5),
        ("inside + gradient", 200, 3, 2, None),
        ("inside", 200, 1, 1, None),
        ("inside", 1000, 1, 1, None),
        ("inside + gradient", 200, 1, 1, None),
        ("inside", 200, 2, 1, None),
        ("inside", 1000, 2, 1, None),
    ]
    for work, length, dim, rules, limit in cases:
        model = paper_model(dim, rules)
        y = sample(model, length)
        calls = {
            "inside": lambda model=model, y=y: rb.inside(model, y),
            "inside + gradient": lambda model=model, y=y: rb.log_evidence_and_gradient(model, y),
            "inside + outside": lambda model=model, y=y: rb.outside(rb.inside(model, y)),
        }
        count = pairs(length, rules)
        spent, unit = against_yardstick(calls[work], count, dim, runs=9 if length <= 300 else 3)
        numbers = (f"{spent * 1e3:.2f}", f"{spent / count * 1e9:.0f}", f"{unit * 1e3:.2f}", f"{spent / unit:.2f}")
        rows.add_row(work, str(length), str(dim), str(rules), *numbers, "" if limit is None else str(limit))
    CONSOLE.print(rows)


def threads() -> None:
    """One series in one thread and in all, in turns, in a process of its own: the threads of this one are set already."""
    rows = table("One long series in threads", "N", "D", "threads", "one s", "all s", "times faster")
    for length, dim in [(400, 1), (1000, 1), (400, 3)]:
        one, all_of_them = in_threads(length, dim, THREADS)
        rows.add_row(str(length), str(dim), str(THREADS), f"{one:.3f}", f"{all_of_them:.3f}", f"{one / all_of_them:.2f}")
    CONSOLE.print(rows)


def growth() -> None:
    rows = table("Growth of inside", "N", "D", "rules", "ms", "ns per pair", "peak MB")
    cases = [(n, 1, 1) for n in (50, 100, 200, 400, 1000)] + [(n, 2, 1) for n in (200, 1000)]
    cases += [(n, 3, 2) for n in (50, 100, 200, 400)]
    cases += [(50, dim, 1) for dim in (1, 2, 4, 6, 8, 12, 16)] + [(50, 12, rules) for rules in (1, 3, 6, 12)]
    cases += [(70, 12, 12)]
    for length, dim, rules in cases:
        model = paper_model(dim, rules)
        y = sample(model, length)
        spent = seconds(lambda model=model, y=y: rb.inside(model, y), runs=3)
        numbers = f"{spent * 1e3:.2f}", f"{spent / pairs(length, rules) * 1e9:.0f}", f"{peak_memory(length, dim, rules):.0f}"
        rows.add_row(str(length), str(dim), str(rules), *numbers)
    CONSOLE.print(rows)


def memory() -> None:
    rows = table("Memory of one long series, D = 1, 300 segments between candidates", "work", "N", "peak MB")
    model = rb.GaussianRBN.create(1, noise_std=1.0, left_std=3.0, right_std=3.0, extra_observations=300.0)
    for length in (10_000, 100_000):
        found = long_series(length, 299)

        def drawn(y: np.ndarray, places: np.ndarray) -> None:
            posterior = rb.sample_posterior(model, y, draws=1000, seed=0, boundaries=places)
            str(posterior.tree())
            len(posterior.nodes)

        def filled(y: np.ndarray, places: np.ndarray) -> None:
            rb.inside(model, y, boundaries=places)

        for name, work in (("inside", filled), ("1000 draws, their nodes and tree", drawn)):
            work(found.values[:1000], np.arange(0, 1001, 100))
            spent = peak_of(lambda work=work, found=found: work(found.values, found.changes))
            rows.add_row(name, str(length), f"{spent:.0f}")
    CONSOLE.print(rows)


def chains() -> None:
    rows = table("A linear dynamical system (two-dimensional state)", "N", "inside ms", "us per step", "gradient ms")
    F, Q = np.array([[1.0, 0.1], [0.0, 0.95]]), np.array([[0.02, 0.01], [0.01, 0.05]])
    H, R = np.array([[1.0, 0.0]]), np.array([[0.3]])
    split = rb.Split(0.999, "shown", "state", rb.Link(np.zeros((2, 2))), rb.Link(Q, map=F))
    model = rb.GaussianRBN(
        (
            rb.Variable("state", 2, (split, rb.Emit(0.001, R, map=H))),
            rb.Variable("shown", 2, (rb.Emit(1.0, R, map=H),)),
        ),
        rb.Prior("state", (rb.Component(np.zeros(2), np.eye(2)),)),
    )
    for length in (1000, 2500, 5000, 10_000, 20_000):
        y = np.cumsum(np.random.default_rng(0).normal(scale=0.3, size=length))
        spent = seconds(lambda y=y: rb.inside(model, y), runs=3)
        slope = seconds(lambda y=y: rb.log_evidence_and_gradient(model, y), runs=3)
        rows.add_row(str(length), f"{spent * 1e3:.1f}", f"{spent / length * 1e6:.2f}", f"{slope * 1e3:.1f}")
    CONSOLE.print(rows)


def draws() -> None:
    rows = table(
        "Posterior draws, against one inside pass in the same run", "N", "draws", "inside ms", "all ms", "ratio", "at most"
    )
    for length, count, limit in [(50, 100, None), (50, 1000, 60), (50, 4000, None), (200, 1000, None)]:
        model = paper_model(3, 2)
        y = sample(model, length)
        one, all_of_it = [], []
        for _ in range(7):
            one.append(seconds(lambda model=model, y=y: rb.inside(model, y), least=0.05, runs=3))
            work = lambda model=model, y=y, count=count: rb.sample_posterior(model, y, draws=count, seed=0)  # noqa: E731
            all_of_it.append(seconds(work, least=0.0, runs=1))
        alone, spent = float(np.median(one)), float(np.median(all_of_it))
        numbers = f"{alone * 1e3:.2f}", f"{spent * 1e3:.1f}", f"{spent / alone:.1f}"
        rows.add_row(str(length), str(count), *numbers, "" if limit is None else str(limit))
    CONSOLE.print(rows)


def learning() -> None:
    columns = ("series", "N", "free", "gradient ms", "fit s", "evaluations", "ratio", "at most")
    rows = table("A fit with standard errors, against one gradient of all series in the same run (threads)", *columns)
    model = paper_model(3, 2)
    series = [model.sample(seed=seed, min_length=50, max_length=50)[0] for seed in range(10)]
    start = rb.GaussianRBN.guess(series, shifts={0: 0.5, 1: 0.5})
    rb.fit(start, series, covariance="scalar", max_evaluations=2)
    gradient = seconds(lambda: rb.log_evidence_and_gradient(start, series), runs=5)
    found = [rb.fit(start, series, covariance="scalar") for _ in range(3)]
    spent = float(np.median([one.seconds for one in found]))
    numbers = f"{gradient * 1e3:.1f}", f"{spent:.2f}", str(len(found[0].history)), f"{spent / gradient:.0f}"
    rows.add_row("10", "50", str(found[0].free), *numbers, "150")
    CONSOLE.print(rows)


def starting() -> None:
    cold, warm = start_up()
    rows = table("Seconds from the start of a new process", "kernels", "import", "first inside", "all kernels")
    for name, numbers in (("compiled now", cold), ("cached on disk", warm)):
        rows.add_row(name, *(f"{numbers[key]:.2f}" for key in ("import", "first", "all")))
    CONSOLE.print(rows)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    starting()
    speed()
    threads()
    draws()
    learning()
    memory()
    chains()
    growth()
