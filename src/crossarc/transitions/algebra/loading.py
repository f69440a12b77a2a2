"""Systems by name or from a user's own file, wherever a command takes `--system`.

`2-planar` is the catalogue's; `mine.py:my_system` is the `TransitionSystem` of that name in a Python file, which is run
like any program: open only files that you trust. `mine.py` alone is enough if the file defines one system.
"""

from __future__ import annotations

import runpy
import traceback
from difflib import get_close_matches
from pathlib import Path

from ...errors import TransitionError
from . import systems
from .system import TransitionSystem


def load_system(system: str | TransitionSystem) -> TransitionSystem:
    """Return a system by its name in the catalogue, or from a file: `mine.py:my_system`."""
    if isinstance(system, TransitionSystem):
        return system
    file, separator, variable = system.rpartition(":")
    if separator and file.endswith(".py"):
        return _from_file(file, variable)
    if system.endswith(".py"):
        return _from_file(system, "")
    return systems.get(system)


def _from_file(file: str, variable: str) -> TransitionSystem:
    found = _run(file)
    own = {key: one for key, one in found.items() if isinstance(one, TransitionSystem)}
    if not variable and len(own) == 1:
        return next(iter(own.values()))
    if variable in own:
        return own[variable]
    listed = ", ".join(f"{file}:{key}" for key in own) or "it defines none"
    if not variable:
        raise TransitionError(f"{file}: say which transition system: {listed}")
    if variable in found:
        raise TransitionError(f"{file}: {variable} is {found[variable]!r:.60}, not a TransitionSystem")
    near = get_close_matches(variable, own, n=1)
    hint = f"did you mean {file}:{near[0]}?" if near else f"its transition systems: {listed}"
    raise TransitionError(f"{file}: there is no {variable}; {hint}")


def _run(file: str) -> dict[str, object]:
    if not Path(file).is_file():
        raise TransitionError(f"{file}: there is no such file with a transition system")
    try:
        return runpy.run_path(file)
    except SyntaxError as error:
        raise TransitionError(f"{error.filename or file}:{error.lineno or 1}: {error.msg}") from None
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
        place = f"{file}:{lines[-1]}" if lines else file
        message = str(error) if isinstance(error, TransitionError) else f"{type(error).__name__}: {error}"
        raise TransitionError(f"{place}: {message}".replace("\n", " ")) from error
