"""The command line: all its commands are in `commands.py`. Who interrupts it while it is loaded sees no traceback."""

import sys

try:
    from recbayes.cli.commands import app
except KeyboardInterrupt:
    print("recbayes: interrupted", file=sys.stderr)
    sys.exit(130)

__all__ = ["app"]
