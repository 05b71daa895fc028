"""A headless Chromium, driven through the DevTools protocol over a pipe: nothing to install beside the browser itself."""

import fcntl
import json
import os
import select
import shutil
import signal
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE = 60.0  # seconds
FLAGS = [
    *(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
    ),
    *(
        "--disable-component-update",
        "--disable-sync",
        "--autoplay-policy=no-user-gesture-required",
        "--disable-dev-shm-usage",
    ),
    *("--remote-debugging-pipe", "--hide-scrollbars", "--mute-audio"),
]


class Browser:
    """One tab. `errors` are complaints of its console, `requests` the addresses it asked for, since the last `open`."""

    def __init__(self, sending: int, receiving: int) -> None:
        self._sending, self._receiving = sending, receiving
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.errors: list[str] = []
        self.requests: list[str] = []
        self._loaded: set[str] = set()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def call(self, method: str, **parameters: Any) -> Any:
        """Ask the browser for something, and wait for the answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._sending, data) :]
        until = time.monotonic() + PATIENCE
        while True:
            answer = self._read(until)
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]

    def open(self, page: Path | str, width: int = 1280, height: int = 900, dark: bool = False, before: str = "") -> None:
        """Load a file, or an address, into a window of this size; `before` is run before the page's own script."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        script = self.call("Page.addScriptToEvaluateOnNewDocument", source=before)["identifier"]
        self.errors, self.requests = [], []
        loader = self.call("Page.navigate", url=page if isinstance(page, str) else page.as_uri())["loaderId"]
        until = time.monotonic() + PATIENCE
        while loader not in self._loaded:
            self._read(until)
        self.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)

    def run(self, expression: str) -> Any:
        """The value of an expression in the page; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: str, seconds: float = 15.0) -> None:
        """Until a condition holds in the page."""
        until = time.monotonic() + seconds
        while not self.run(condition):
            assert time.monotonic() < until, f"not within {seconds} s: {condition}"
            time.sleep(0.02)

    def click(self, selector: str) -> None:
        """The mouse, in the middle of what can be seen of an element."""
        self.click_at(*self.place(selector))

    def hover(self, selector: str, down: float = 0.5, along: float = 0.5) -> None:
        """The mouse over an element, in its middle or so far down and along."""
        self.call(
            "Input.dispatchMouseEvent", type="mouseMoved", **dict(zip("xy", self.place(selector, down, along), strict=True))
        )

    def place(self, selector: str, down: float = 0.5, along: float = 0.5) -> tuple[float, float]:
        """Where an element is in the window, after it was brought into sight."""
        x, y = self.run(
            f"""(() => {{ const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: "center", inline: "nearest", behavior: "instant"}});
            const box = element.getBoundingClientRect();
            const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
            return [left + {along} * (right - left), box.top + {down} * (box.bottom - box.top)]; }})()"""
        )
        return x, y

    def click_at(self, x: float, y: float) -> None:
        """The mouse, at a place of the window."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        """A key: "Enter", "ArrowUp", " "."""
        text = {"Enter": "\r", " ": " "}.get(key, "")
        code = {
            "Enter": 13,
            " ": 32,
            "Escape": 27,
            "Tab": 9,
            "ArrowLeft": 37,
            "ArrowUp": 38,
            "ArrowRight": 39,
            "ArrowDown": 40,
            "Home": 36,
            "End": 35,
        }[key]
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            more = {"text": text} if kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **more)

    def screenshot(self, path: Path) -> None:
        """What the window shows, as PNG."""
        path.write_bytes(b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def print(self, path: Path) -> None:
        """The page on paper, as PDF."""
        path.write_bytes(b64decode(self.call("Page.printToPDF", printBackground=True)["data"]))

    def _read(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._receiving], [], [], max(0.0, until - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self._receiving, 1 << 20)
            assert data, "the browser has gone"
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(text)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, event: str, details: dict[str, Any]) -> None:
        if event == "Network.requestWillBeSent":
            self.requests.append(details["request"]["url"])
        elif event == "Page.lifecycleEvent" and details["name"] == "load":
            self._loaded.add(details["loaderId"])
        elif event == "Runtime.exceptionThrown":
            self.errors.append(str(details["exceptionDetails"]))
        elif event == "Log.entryAdded" and details["entry"]["level"] in ("error", "warning"):
            self.errors.append(str(details["entry"]))
        elif event == "Runtime.consoleAPICalled" and details["type"] in ("error", "warning", "assert"):
            self.errors.append(str(details))


@contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    """A browser with a fresh profile in `folder`; it and all its processes end with the block."""
    assert CHROMIUM is not None
    commands_out, commands_in = os.pipe()
    answers_out, answers_in = os.pipe()
    ends = [
        fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (commands_out, answers_in)
    ]  # not where they are to be put
    actions: list[Any] = [
        *((os.POSIX_SPAWN_DUP2, end, place) for end, place in zip(ends, (3, 4), strict=True)),
        *((os.POSIX_SPAWN_OPEN, place, os.devnull, os.O_RDWR, 0) for place in (1, 2)),
    ]
    arguments = [CHROMIUM, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
    process = os.posix_spawn(CHROMIUM, arguments, os.environ, file_actions=actions, setpgroup=0)
    for end in (*ends, commands_out, answers_in):
        os.close(end)
    try:
        yield Browser(commands_in, answers_out)
    finally:
        os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(commands_in)
        os.close(answers_out)
