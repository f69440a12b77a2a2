"""The command line in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

#: The command, however the package is installed.
CROSSARC = (sys.executable, "-c", "from crossarc.cli.main import main; main()")
#: A sentence of one word in CoNLL-U, with an enhanced arc and a feature in MISC.
GOOD = "1\tJa\tja\tINTJ\t_\t_\t0\troot\t0:root\tA=1\n\n"


def crossarc(*arguments: str, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command as on a plain terminal of 80 columns, and return what it printed."""
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
    return subprocess.run(
        [*CROSSARC, *arguments], input=stdin, capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )


def wait_until(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    """Look again and again, however long it takes, while the process is running."""
    while not condition():
        assert process.poll() is None
        time.sleep(0.01)
