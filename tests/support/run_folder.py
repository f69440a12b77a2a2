"""Models that several test files need are trained once in a run: one process trains, the others read its file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import crossarc as xa

try:
    import fcntl
except ImportError:  # Windows: each process has a folder of its own, so that nobody waits
    fcntl = None  # type: ignore[assignment]

#: The environment variable that names the folder of the run; conftest.py sets it.
RUN_FOLDER = "CROSSARC_TEST_RUN"

Model = TypeVar("Model", xa.Pipeline, xa.TransitionParser, xa.GraphParser)


def trained_once(name: str, kind: type[Model], train: Callable[[], Model]) -> Model:
    """Return the model of this name as it is loaded from its file; whoever comes first trains and saves it."""
    folder = Path(os.environ[RUN_FOLDER])
    if fcntl is None:
        folder = folder / str(os.getpid())
        folder.mkdir(exist_ok=True)
    path = folder / f"{name}.crossarc"
    with _locked(path.with_suffix(".lock")):
        if not path.exists():
            train().save(path)
    model = xa.load(path)
    assert isinstance(model, kind)
    return model


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Wait until no other process holds the lock; a process that ends lets go of it."""
    with path.open("w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
