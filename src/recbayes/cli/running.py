"""How all commands run: what goes wrong is told in one line, with an exit code; `--debug` shows where it happened.

0: done. 1: the data, the model or the work. 2: the way the command was called. 130: interrupted.
"""

import codecs
import io
import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from recbayes.cli.visible import visible

PLAIN = {"├": "|", "└": "`", "│": "|", "─": "-", "┤": "|", "┴": "+", "┊": ":", "±": "+-", "…": "...", "›": ">"}
PLAIN |= dict(zip("▁▂▃▄▅▆▇█", "._-=+*#%", strict=True))  # for terminals and files that know ASCII only
DOTS = range(0x2800, 0x2900)  # Braille: each of eight bits is a dot
ClickException: Any = typer.BadParameter.__mro__[2]  # of the click that this typer has, or brings

SETTING = re.compile(
    r"\((columns|time|by|separator|encoding|skip|missing|dates|sort|duplicates|array)( [^()]*)?\)"
)  # of `read_file`

INTERRUPTED = 130
MANY = re.compile(r"Got unexpected extra argument(?:s|\(s\))? \((.*)\)")


class Commands(typer.Typer):
    """All commands: what a stream cannot encode, they write in ASCII."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        codecs.register_error("plain", in_ascii)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="plain")
        try:
            return super().__call__(*args, **kwargs)
        except KeyboardInterrupt:
            complain("interrupted")
            _leave()
        except SystemExit as end:
            if end.code == INTERRUPTED:
                _leave()
            raise
        except OSError as problem:  # where even help and errors cannot be written
            complain(in_words(problem))
            sys.exit(1)


class OneLine(TyperGroup):
    """The outermost group of commands, which tells all errors."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *others: Any, **settings: Any) -> Any:
        given = list(sys.argv[1:] if args is None else args)
        self._debug, self._told = "--debug" in given, False
        settings["standalone_mode"] = False
        try:
            code = super().main([one for one in given if one != "--debug"], "recbayes", *others, **settings)
        except ClickException as problem:
            _explain(problem)
            code = getattr(problem, "exit_code", 2)
            self._told = True
        except typer.Abort:
            code = INTERRUPTED
        if code == INTERRUPTED and not self._told:  # before the command began, or after its end
            complain("interrupted")
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        try:
            with noted():
                return super().invoke(ctx)
        except (typer.Exit, typer.Abort, ClickException):
            raise
        except KeyboardInterrupt:
            complain("interrupted")
            self._told = True
            raise typer.Exit(INTERRUPTED) from None
        except Exception as problem:
            if self._debug:
                traceback.print_exc()
            else:
                complain(in_words(problem))
            raise typer.Exit(1) from problem


def in_words(problem: BaseException) -> str:
    """What went wrong, in one line."""
    from concurrent.futures import BrokenExecutor

    from recbayes.errors import DataError, FileError, LengthError, ModelError, StudyError

    if isinstance(problem, OSError):
        said = problem.strerror or str(problem)
        return f"{problem.filename}: {said}" if problem.filename is not None else said
    if isinstance(problem, DataError | FileError | LengthError | ModelError | StudyError | BrokenExecutor):
        return in_options(" ".join(str(problem).split()))
    if isinstance(problem, MemoryError):
        return "there is not enough memory; take fewer draws, fewer columns, or a part of the series"
    what = " ".join(f"{type(problem).__name__}: {problem}".split())
    return f"this should not have happened ({what}); --debug shows where it did"


def in_options(text: str) -> str:
    """What is said of a file, with its settings as options of the command line."""
    return SETTING.sub(lambda found: f"(--{found[1]}{found[2] or ''})", text)


def note(text: str) -> None:
    """A line on standard error, if that can be written to."""
    with suppress(OSError):
        print(visible(text), file=sys.stderr, flush=True)


def complain(text: str) -> None:
    """One line on standard error; nothing more is written to where writing has failed."""
    note(f"recbayes: {text}")
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:  # what is still to be written would fail once more when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _leave() -> NoReturn:
    """The end of an interrupted command. Threads that still compute are not waited for, as Python does when it ends."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or none at all
            stream.flush()
    os._exit(INTERRUPTED)


def _explain(problem: Any) -> None:
    """How a command should have been called; a group without a command shows its help."""
    context = getattr(problem, "ctx", None)
    if type(problem).__name__ == "NoArgsIsHelpError":
        print(problem.format_message(), file=sys.stderr)
        return
    where = context.command_path if context is not None else "recbayes"
    said = " ".join(problem.format_message().split()).rstrip(".")
    extra = MANY.match(said)
    if extra is not None:
        said = f"that is too much: {where} takes one file at a time, without {_some(extra[1].split())}"
    complain(f"{said} ({where} --help says more)")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


@contextmanager
def noted() -> Iterator[None]:
    """Warnings of ours are notes, in a line each."""
    from recbayes.errors import ApproximationWarning, SlowWarning

    with warnings.catch_warnings():
        for kind in (ApproximationWarning, SlowWarning):
            warnings.simplefilter("always", kind)
        usual = warnings.showwarning

        def show(message: Any, category: Any, *rest: Any, **more: Any) -> None:
            if issubclass(category, ApproximationWarning | SlowWarning):
                note(f"note: {' '.join(str(message).split())}")
            else:
                usual(message, category, *rest, **more)

        warnings.showwarning = show
        yield


def in_ascii(problem: UnicodeError) -> tuple[str, int]:
    """What stands for signs that a stream does not know."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    signs = problem.object[problem.start : problem.end]
    return "".join(_plain(sign) for sign in signs), problem.end


def _plain(sign: str) -> str:
    if ord(sign) in DOTS:
        return " .:*#"[min((ord(sign) - DOTS.start).bit_count() + 1, 8) // 2]
    return PLAIN.get(sign, "?")
