"""`recbayes warmup`."""

import os
import time

import typer


def warmup() -> None:
    """Compile all kernels now, so that no later call has to wait for them."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from recbayes.compiled.compilation import MOST_HELPERS, is_kept, start_helper
    from recbayes.compiled.kept import PAUSE
    from recbayes.compiled.needs import needs_of

    start = time.perf_counter()
    console = Console(highlight=False)
    wanted = [(need, need.kernel(), need.signature()) for need in needs_of("all")]
    folders = {kernel.stats.cache_path for _, kernel, _ in wanted}
    if None in folders:
        console.print(
            "Compiled kernels cannot be kept: neither the package's folder nor the user's caches can be written. "
            "Set NUMBA_CACHE_DIR to a folder that can."
        )
        raise typer.Exit(1)
    missing = [one for one in wanted if not is_kept(*one[1:])]
    count = len(missing)
    if missing:
        helpers = [start_helper("all", number) for number in range(min(os.cpu_count() or 1, MOST_HELPERS + 1))]
        columns = TextColumn("compiling kernels"), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
        with Progress(*columns, console=console) as progress:
            task = progress.add_task("", total=sum(need.seconds for need, *_ in missing))
            while missing:
                working = any(helper.poll() is None for helper in helpers)  # asked first: what they did last is seen below
                still = [one for one in missing if not is_kept(*one[1:])]
                progress.advance(task, sum(need.seconds for need, *_ in missing) - sum(need.seconds for need, *_ in still))
                progress.update(task, description=f"{count - len(still)} of {count}")
                missing = still
                if not working:
                    break
                time.sleep(4 * PAUSE)
    spent = time.perf_counter() - start
    if missing:
        names = ", ".join(kernel.__name__ for _, kernel, _ in missing)
        console.print(f"Not compiled: {names}. They are when they are first called, and say then what is wrong.")
        raise typer.Exit(1)
    done = f"{count} kernels compiled in {spent:.0f} s" if count else f"All {len(wanted)} kernels were compiled already"
    console.print(f"{done}; they are kept in {os.path.commonpath([str(one) for one in folders])}", soft_wrap=True)
