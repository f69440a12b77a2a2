"""The command line, each command in a process of its own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TextIO

from . import command_server
from .command_server import Request

#: The command, however the package is installed.
CROSSARC = (sys.executable, "-c", "from crossarc.cli.main import main; main()")
#: A sentence of one word in CoNLL-U, with an enhanced arc and a feature in MISC.
GOOD = "1\tJa\tja\tINTJ\t_\t_\t0\troot\t0:root\tA=1\n\n"

_TERMINAL = {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}


def crossarc(*arguments: str, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command as on a plain terminal of 80 columns, and return what it printed and how it ended."""
    requests, answers = _server()
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder) / name for name in ("stdin", "stdout", "stderr")]
        for path in streams:
            path.write_text(stdin if path.name == "stdin" else "", encoding="utf-8")
        request: Request = {
            "arguments": list(arguments),
            "folder": str(cwd or Path.cwd()),
            "environment": {**os.environ, **_TERMINAL},
            "streams": list(map(str, streams)),
        }
        print(json.dumps(request), file=requests, flush=True)
        code = int(answers.readline())
        _, output, errors = (path.read_text(encoding="utf-8") for path in streams)
    return subprocess.CompletedProcess(["crossarc", *arguments], code, output, errors)


def crossarc_alone(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in an interpreter of its own, which finds packages anew."""
    environment = {**os.environ, **_TERMINAL}
    return subprocess.run([*CROSSARC, *arguments], cwd=cwd, env=environment, capture_output=True, text=True)


@cache
def _server() -> tuple[TextIO, TextIO]:
    """The process that runs the commands of this one: where requests go, and where answers come from."""
    ours, theirs = socket.socketpair()
    subprocess.Popen(
        [sys.executable, command_server.__file__, str(theirs.fileno())],
        env={**os.environ, **_TERMINAL},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[theirs.fileno()],
    )
    theirs.close()
    return ours.makefile("w"), ours.makefile("r")


def wait_until(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    """Look again and again, however long it takes, while the process is running."""
    while not condition():
        assert process.poll() is None
        time.sleep(0.01)
