"""The package as a whole: importing it is cheap, folders import only from those above them, the command line answers."""

import ast
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

import recbayes as rb
from recbayes.cli import app

SOURCE = Path(rb.__file__).parent
LAYERS = [
    *("checks", "compiled", "tree", "spans", "parameters", "lengths", "family"),
    *("gaussian", "discrete", "general", "convert", "chains", "inference", "learn", "jax"),
    *("data", "segmentation", "aeon", "music", "plot", "report", "studies", "cli", "reference"),
]
APART = {("discrete", "gaussian")}  # families that stand side by side; conversions between them have a folder of their own
NARROW = {"data": {"checks", "data"}}  # rooms that need fewer than all above them
DOORS = {  # methods of public names that lead to a room below
    ("discrete/model/pcfg.py", "recbayes.convert.expansion"),
    *(
        (f"{kind}.py", "recbayes.convert.general")
        for kind in ("gaussian/model/rbn", "discrete/model/rbn", "discrete/model/pcfg")
    ),
    ("segmentation/result.py", "recbayes.plot.segmented"),
    *(("segmentation/result.py", f"recbayes.report.{name}") for name in ("page", "static", "widget")),
}
VERBS = {"family", "gaussian", "discrete", "general"}  # where families are known
HEAVY = {"jax", "matplotlib", "narwhals", "numba", "pandas", "scipy"}


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
    place = path.relative_to(SOURCE)
    here = place.parts[0].removesuffix(".py")
    allowed = {"errors", *LAYERS[: LAYERS.index(here) + 1]} - {other for mine, other in APART if mine == here}
    if here in NARROW:
        allowed &= {"errors", *NARROW[here]}
    if here in ("report", "music", "studies", "cli"):  # the version
        allowed.add("")
    modules = {module for module in imported_modules(path) if (place.as_posix(), module) not in DOORS}
    layers = {module: layer_of(module) for module in modules}
    return [f"{here} imports {module}" for module, layer in layers.items() if layer is not None and layer not in allowed]


FILES = [
    path for path in sorted(SOURCE.rglob("*.py")) if path.relative_to(SOURCE).parts[0] not in ("__init__.py", "errors.py")
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_folders_import_only_from_those_above(path: Path) -> None:
    assert path.relative_to(SOURCE).parts[0].removesuffix(".py") in LAYERS
    assert violations(path) == []


def kinds_asked_for(path: Path) -> list[str]:
    """Names of models, charts and families in `isinstance` and `issubclass` of a file."""
    asked = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass")
    ]
    names = {one.id for call in asked for one in ast.walk(call.args[1]) if isinstance(one, ast.Name)}
    kinds = ("RBN", "PCFG", "Chart", "Posterior", "Family", "Discrete")
    return sorted(name for name in names if name.endswith(kinds) or name.startswith(("Gaussian", "Discrete")))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_verbs_do_not_ask_for_kinds_of_models(path: Path) -> None:
    """What a model's kind decides is its family's to say."""
    assert path.relative_to(SOURCE).parts[0] in VERBS or kinds_asked_for(path) == []


def test_the_lists_of_this_file_are_needed() -> None:
    """No room, door or wall that nobody uses."""
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms == set(LAYERS)
    for file, module in DOORS:
        assert module in imported_modules(SOURCE / file)


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


def test_the_stub_lists_the_names_that_exist() -> None:
    """Type checkers read it, and so does the package; a name is wrong for one of them if it has another alias or no home."""
    homes: dict[str, str] = {}
    for node in ast.parse((SOURCE / "__init__.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                assert alias.asname == alias.name
                assert alias.name not in homes
                homes[alias.name] = f"recbayes.{node.module or alias.name}"
    assert sorted(homes) == rb.__all__
    for name, home in homes.items():
        module = import_module(home)
        assert getattr(rb, name) is (module if home == f"recbayes.{name}" else getattr(module, name))


def test_command_line_says_what_it_can() -> None:
    version = CliRunner().invoke(app, ["--version"])
    assert (version.exit_code, version.output.strip()) == (0, f"recbayes {rb.__version__}")
    help_text = CliRunner().invoke(app, ["--help"])
    assert help_text.exit_code == 0
    assert "demo" in help_text.output
