"""The package as a whole: importing it is cheap, folders import only from those above them, the command line answers."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import recbayes as rb
from recbayes.cli import app

SOURCE = Path(rb.__file__).parent
LAYERS = ["numerics", "tree", "model", "chart", "posterior", "learn", "data", "music", "plot", "studies", "cli"]
HEAVY = {"jax", "matplotlib", "numba", "scipy"}


def imported_modules(path: Path) -> set[str]:
    """Full names of the modules a file imports anywhere, inside functions too."""
    package = ("recbayes", *path.relative_to(SOURCE).parent.parts)
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            names.add(module)
            if module == "recbayes":  # `from recbayes import model` imports a folder
                names |= {f"recbayes.{alias.name}" for alias in node.names if (SOURCE / alias.name).is_dir()}
    return names


def layer_of(module: str) -> str | None:
    """The folder of a module of ours; "" for the package itself, None for everybody else's."""
    parts = module.split(".")
    if parts[0] != "recbayes":
        return None
    return parts[1] if len(parts) > 1 else ""


def violations(path: Path) -> list[str]:
    here = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    allowed = {"errors", *LAYERS[: LAYERS.index(here) + 1]}
    if here in ("studies", "cli"):  # the version
        allowed.add("")
    layers = {module: layer_of(module) for module in imported_modules(path)}
    return [f"{here} imports {module}" for module, layer in layers.items() if layer is not None and layer not in allowed]


FILES = [
    path for path in sorted(SOURCE.rglob("*.py")) if path.relative_to(SOURCE).parts[0] not in ("__init__.py", "errors.py")
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_folders_import_only_from_those_above(path: Path) -> None:
    assert path.relative_to(SOURCE).parts[0].removesuffix(".py") in LAYERS
    assert violations(path) == []


def test_errors_import_nothing_of_ours() -> None:
    assert [module for module in imported_modules(SOURCE / "errors.py") if layer_of(module) is not None] == []


def modules_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    return set(result.stdout.split())


@pytest.mark.parametrize("statement", ["import recbayes", "import recbayes.cli"])
def test_importing_loads_nothing_heavy(statement: str) -> None:
    modules = modules_after(statement)
    assert "recbayes" in modules
    assert modules & HEAVY == set()


def test_every_public_name_exists() -> None:
    for name in rb.__all__:
        assert getattr(rb, name) is not None
        assert name in dir(rb)
    with pytest.raises(AttributeError, match="nonsense"):
        rb.nonsense  # noqa: B018


def test_command_line_says_what_it_can() -> None:
    version = CliRunner().invoke(app, ["--version"])
    assert (version.exit_code, version.output.strip()) == (0, f"recbayes {rb.__version__}")
    help_text = CliRunner().invoke(app, ["--help"])
    assert help_text.exit_code == 0
    assert "demo" in help_text.output


def test_demo() -> None:
    result = CliRunner().invoke(app, ["demo", "--seed", "3", "--length", "12"])
    assert result.exit_code == 0, result.output
    assert "12 observations" in result.output
    assert result.output.count("0:12 x") == 2
    assert "p=1.00" in result.output
    assert "log evidence" in result.output
    assert "F1" in result.output


@pytest.mark.parametrize("arguments", [["--length", "0"], ["--seed", "-1"], ["--length", "many"]])
def test_demo_refuses_nonsense(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, ["demo", *arguments]).exit_code == 2
