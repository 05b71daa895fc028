"""`python -m recbayes.compiled.warm JOB NUMBER`: compile the kernels of a job, for the process that started this one.

There is one such process of each number for a folder of kernels; others end at once.
"""

import os
import sys
from pathlib import Path

from recbayes.compiled.compilation import compile_all, prepare
from recbayes.compiled.locks import Lock
from recbayes.compiled.needs import needs_of


def main(job: str, number: str) -> None:
    needs = needs_of(job)
    if not needs:
        return
    kernel = needs[0].kernel()
    prepare(kernel)
    if kernel.stats.cache_path is None:
        return
    alone, parent = Lock(Path(kernel.stats.cache_path) / f"helper.{number}.lock"), os.getppid()
    if alone.take():
        try:
            compile_all(needs, goes_on=lambda: os.getppid() == parent)  # nobody needs them if that is gone
        finally:
            alone.give_back()


if __name__ == "__main__":
    main(*sys.argv[1:])
