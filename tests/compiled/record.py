"""Write `kernels.json`: which kernels jobs need, with which types of arguments, and how long they take to compile.

    python -m tests.compiled.record

Every job runs in a process of its own, all with one folder of kernels that is empty at first: each kernel is compiled once.
To be run after kernels, or what they are given, have changed; tests say when.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from recbayes.compiled import compilation
from recbayes.compiled.needs import TABLE, place_of
from recbayes.compiled.signatures import encode
from tests.compiled import jobs


def look_on(job: str) -> list[dict[str, Any]]:
    """Run a job: its kernels, with seconds of processor time for those that were compiled, in the order of their calls."""
    found: list[dict[str, Any]] = []
    obtain = compilation._obtain

    def noting(kernel: Any, compile_it: Any, signature: Any) -> Any:
        before, start = sum(kernel.stats.cache_misses.values()), time.thread_time()
        made = obtain(kernel, compile_it, signature)
        spent = time.thread_time() - start if sum(kernel.stats.cache_misses.values()) > before else 0.0
        shared: list[Any] = []
        written = [encode(one, shared) for one in signature]
        found.append({"kernel": place_of(kernel), "signature": written, "types": shared, "seconds": spent})
        return made

    compilation._obtain = noting
    compilation.MOST_HELPERS = 0
    jobs.run(job)
    return found


def put_together(by_job: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """All jobs' kernels, each signature once."""
    table: dict[str, Any] = {"jobs": {}, "kernels": [], "types": []}
    places: dict[str, int] = {}
    for job, found in by_job.items():
        table["jobs"][job] = []
        for one in found:
            signature = [_with_types_of(table["types"], part, one["types"]) for part in one["signature"]]
            number = places.setdefault(json.dumps([one["kernel"], signature]), len(places))
            if number == len(table["kernels"]):
                table["kernels"].append({"kernel": one["kernel"], "seconds": 0.0, "signature": signature})
            row = table["kernels"][number]
            row["seconds"] = max(row["seconds"], round(one["seconds"], 1))
            table["jobs"][job] = sorted({*table["jobs"][job], number})
    return table


def _with_types_of(shared: list[Any], written: Any, own: list[Any]) -> Any:
    """What one process has written, with references to the types that all share."""
    if not isinstance(written, list):
        return written
    if written and written[0] == "shared":
        whole = _with_types_of(shared, own[written[1]], own)
        if whole not in shared:
            shared.append(whole)
        return ["shared", shared.index(whole)]
    return [_with_types_of(shared, one, own) for one in written]


def main() -> None:
    if len(sys.argv) > 1:
        print(json.dumps(look_on(sys.argv[1])))
        return
    by_job = {}
    with tempfile.TemporaryDirectory() as folder:
        for job in jobs.JOBS:
            call = [sys.executable, "-m", "tests.compiled.record", job]
            done = subprocess.run(call, env={**os.environ, "NUMBA_CACHE_DIR": folder}, stdout=subprocess.PIPE, check=True)
            by_job[job] = json.loads(done.stdout.splitlines()[-1])
            print(job, [(one["kernel"].split(":")[1], round(one["seconds"], 1)) for one in by_job[job]], flush=True)
    rows = put_together(by_job)
    lines = [f'"{part}": {_lines(rows[part])}' for part in ("jobs", "types", "kernels")]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _lines(part: Any) -> str:
    """One entry in a line."""
    if isinstance(part, dict):
        return "{\n" + ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in part.items()) + "\n}"
    return "[\n" + ",\n".join(f"  {json.dumps(value)}" for value in part) + "\n]"


if __name__ == "__main__":
    main()
