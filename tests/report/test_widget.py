"""The report as a widget: what Python tells it, and a real JupyterLab in which it is looked at and answers."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

import recbayes as rb
from recbayes.report.data import report_data
from recbayes.report.module import module, style
from recbayes.report.widget import _kind
from tests.browser import CHROMIUM, Browser, chromium
from tests.report.found import plain

PATIENCE = 90.0  # seconds
CELLS = [
    "import recbayes as rb, ipywidgets",
    "found = rb.segment(rb.data.nile(), draws=100, seed=0)\nwidget = found.widget(title='Flow of the Nile')",
    "label = ipywidgets.Label('nothing yet')\n"
    "widget.observe(lambda change: setattr(label, 'value', f'Python knows {change.new}'), 'span')",
    "display(widget, label)",
    "found",
]
KERNEL = "jupyterapp.shell.currentWidget.sessionContext.session.kernel"
REPORT = ".jp-OutputArea .recbayes-report"


def test_python_tells_the_widget_what_the_page_knows() -> None:
    widget = plain().widget(title="Steps")
    state = widget.get_state()
    assert state["data"] == report_data(plain(), "Steps")
    assert (state["_esm"], state["_css"]) == (module(), style())
    assert state["span"] == [0, 120]
    json.dumps(state["data"], allow_nan=False)
    assert repr(widget) == f"Report(Steps: {state['data']['lead']})"


def test_without_anywidget_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    _kind.cache_clear()
    with pytest.raises(rb.DataError, match=r"the widget needs anywidget: pip install 'recbayes\[notebook\]'"):
        plain().widget()


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """The address of a JupyterLab with one notebook, and nothing of the user's own."""
    cells = [
        {"cell_type": "code", "id": f"cell{n}", "metadata": {}, "outputs": [], "execution_count": None, "source": source}
        for n, source in enumerate(CELLS)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "report.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folders = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    environment = {
        **os.environ,
        **folders,
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(tmp_path),
    }
    options = [
        *("--no-browser", "--allow-root", "--expose-app-in-browser", "--IdentityProvider.token=", "--LabApp.news_url=None"),
        *(f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--ServerApp.root_dir={tmp_path / 'notes'}"),
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    with (tmp_path / "log").open("wb") as log:
        command = [sys.executable, "-m", "jupyterlab", *options]
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)
    try:
        address = f"http://127.0.0.1:{port}"
        until = time.monotonic() + PATIENCE
        while True:
            try:
                urlopen(f"{address}/api/status", timeout=5).close()
                break
            except (URLError, OSError):
                assert server.poll() is None, (tmp_path / "log").read_text(encoding="utf-8")
                assert time.monotonic() < until, (tmp_path / "log").read_text(encoding="utf-8")
                time.sleep(0.2)
        yield f"{address}/lab/tree/report.ipynb"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    with chromium(tmp_path / "profile") as found:
        yield found


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")
def test_it_lives_in_jupyterlab(browser: Browser, lab: str) -> None:
    """It is drawn, zooms when clicked, tells Python so, and follows what Python says; the still picture stands below it."""
    browser.open(lab, height=1400)
    browser.wait("!!window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel", PATIENCE)
    browser.wait(f"{KERNEL}.status === 'idle'", PATIENCE)
    browser.run("void jupyterapp.commands.execute('notebook:run-all-cells')")
    browser.wait(f"!!document.querySelector('{REPORT} .band')", PATIENCE)
    assert browser.run(f"document.querySelector('{REPORT} h1').textContent") == "Flow of the Nile"
    bands = browser.run(f"document.querySelectorAll('{REPORT} .band').length")
    items = browser.run(f"[...document.querySelectorAll('{REPORT} [role=treeitem]')].map((one) => one.dataset.span)")
    assert bands == len(items) > 1
    browser.run(f"document.querySelector('{REPORT} [role=treeitem]').focus()")
    browser.press("ArrowDown")  # JupyterLab would go to another cell
    assert browser.run("document.activeElement.dataset.span") == items[1]
    start, end = map(int, items[-1].split(":"))
    browser.click(f"{REPORT} [role=treeitem][data-span='{items[-1]}']")
    browser.wait(f"document.body.innerText.includes('Python knows [{start}, {end}]')", PATIENCE)
    assert browser.run(f"document.querySelectorAll('{REPORT} .band').length") < bands
    browser.run(f"void {KERNEL}.requestExecute({{code: 'widget.span = [0, 100]'}})")
    browser.wait(f"document.querySelectorAll('{REPORT} .band').length === {bands}", PATIENCE)
    assert browser.run("document.querySelectorAll('.jp-RenderedHTMLCommon svg path').length") > 0
