"""One HTML file with all that is needed to look at a report: it asks for nothing else, from whatever place it is opened."""

import json
from base64 import b64encode
from hashlib import sha256
from string import Template
from typing import Any

from recbayes.checks.markup import markup
from recbayes.report.data import report_data
from recbayes.report.module import module, part, style
from recbayes.report.static import still
from recbayes.segmentation.result import Segmentation


def report_page(found: Segmentation, title: str = "") -> str:
    """The page as text. Those who run no scripts see a still picture and the table."""
    data = report_data(found, title)
    script = module() + part("start.js")
    return Template(part("page.html")).substitute(
        policy=markup(_policy(script)),
        generator=markup(dict(data["made"])["package"]),
        title=markup(data["title"]),
        style=style(),
        static=still(found),
        data=json_inside(data),
        script=script,
    )


def _policy(script: str) -> str:
    """What browsers let the page do: run its own script and nothing else, and load nothing."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:"


def json_inside(data: Any) -> str:
    """JSON that cannot end the element it is in."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
