"""`make compare` prints one table in Markdown, and the numbers behind it.

python -m benchmarks.compare --part quality --count 30 --series TCPD
python -m benchmarks.compare --part speed
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # series are small: more threads wait for each other
os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import logging
import warnings

from benchmarks.compare import quality, speed, tables
from benchmarks.compare.features import tried
from benchmarks.compare.series import KINDS
from recbayes.studies.pool import worker_pool


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--part", choices=("facts", "quality", "speed", "all"), default="all")
    arguments.add_argument("--count", type=int, default=30, help="series of each kind; half as many of long ones")
    arguments.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    arguments.add_argument("--series", help="annotated series, as `recbayes study real` reads them")
    arguments.add_argument("--workers", type=int, default=2)
    given = arguments.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)  # hmmlearn tells of every model that has not converged
    measured = tables.Everything()
    if given.part in ("facts", "all"):
        wrong = tried()
        if wrong:
            raise SystemExit("\n".join(["The table of facts is wrong:", *wrong]))
    if given.part in ("quality", "all"):
        keep = quality.folder()
        with worker_pool(None, given.workers) as pool:
            for name in given.kinds:
                measured.kinds[name] = quality.on_kind(name, given.count, pool, keep)
                print(tables.progress(name, measured.kinds[name]), flush=True)
            for several in (False, True) if given.series else ():
                measured.real[several] = quality.on_real(given.series, several, pool, keep)
        measured.box.update(quality.in_the_box())
    if given.part in ("speed", "all"):
        measured.seconds.update(speed.table())
        measured.charts.extend(tables.charts())
    print(tables.everything(measured))


if __name__ == "__main__":
    main()
