# SPDX-License-Identifier: BSD-3-Clause
"""The command line: one file per command; typer and rich are needed only here."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

from hedgehop._errors import MissingExtraError, need


def main() -> None:
    """Run the command line, or say what has to be installed."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us: what is said there is lost, the work is not
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that knows only ASCII shows the rest by numbers
    try:
        for module in ("typer", "rich"):
            need(module, "cli", "the command line")
        from hedgehop.cli.app import app

        app(prog_name="hedgehop")
    except MissingExtraError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:  # while modules are imported; commands have their own message
        sys.exit("error: interrupted.")
