"""A process that has loaded what every command needs and forks for each: `crossarc` without half a second of imports.

Run as a script with the number of a socket. A request is a line: a JSON object of the arguments, the folder, the
environment and the files to use as standard streams. Each command runs in a child, which goes on to the interpreter's
own end, as in a process of its own; the answer is its exit code. Nothing of crossarc is called before the fork.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import socket
import sys
from typing import TypedDict

import crossarc

#: What commands load of other packages, and of this one when they need it.
PRELOADED = (
    *("rich.progress", "rich.table", "typer.rich_utils", "crossarc.training.loop", "crossarc.parsers.graph.parser"),
    *("crossarc.parsers.transition.parser", "crossarc.models.perceptron.options", "crossarc.models.classifiers"),
)


class Request(TypedDict):
    """What a command gets from its surroundings."""

    arguments: list[str]
    folder: str
    environment: dict[str, str]
    streams: list[str]


def become(request: Request) -> None:
    """Take the streams, the folder, the environment and the arguments of a command."""
    for number, path in enumerate(request["streams"]):
        os.dup2(os.open(path, os.O_WRONLY if number else os.O_RDONLY), number)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["crossarc", *request["arguments"]]


def serve(connection: socket.socket) -> None:
    """Answer requests until there are no more; return in each child, ready to run its command."""
    requests, answers = connection.makefile("r"), connection.makefile("w")
    while line := requests.readline():
        child = os.fork()
        if child == 0:
            become(json.loads(line))
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)
    sys.exit()


if __name__ == "__main__":
    connection = socket.socket(fileno=int(sys.argv[1]))
    for module in (*PRELOADED, *(f"crossarc.{found.name}" for found in pkgutil.iter_modules(crossarc.__path__))):
        importlib.import_module(module)
    from crossarc.cli.main import main

    sys.argv = ["crossarc", "check"]  # without its argument: loads what the command line itself loads when it is used
    with contextlib.suppress(SystemExit), contextlib.redirect_stderr(io.StringIO()):
        main()
    os.fsync = lambda fd: None  # as in conftest.py
    gc.freeze()  # what is loaded is not looked through for garbage again at the end of every child
    serve(connection)
    main()
