"""`crossarc info`: what a model is, what it was trained on, how good and how large it is."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Json
from .output import print_json


def info(
    model: Annotated[str, typer.Argument(help="A model that crossarc train wrote.", metavar="MODEL")],
    json: Json = False,
) -> None:
    """Say what a model is, what it was trained on, how good and how large it is.

    The columns are those that sentences need in order to be parsed, as the training data had them; the command is that
    of crossarc train, without the options that do not change the model (-o, --threads …). Scores on development data
    are in percent, with --json from 0 to 1.

    Example:

        crossarc info my.crossarc
    """
    from ..errors import clean
    from ..parsers import load
    from ..reports.evaluation_tables import percentage

    described = load(model).info()
    if Path(model).is_file():  # a pipe has no size and no date
        status = Path(model).stat()
        described["written"] = datetime.fromtimestamp(status.st_mtime, timezone.utc).isoformat(" ", "seconds")
        described["bytes"] = status.st_size
    if json:
        print_json(described)
        return
    width = max(len(name) for name in described)
    for name, value in described.items():
        shown = percentage(value) if name.startswith("dev_") and value is not None else _shown(value)
        print(f"{name.replace('_', ' '):<{width}}  {clean(shown)}")


def _shown(value: Any) -> str:
    """Return a value as people read it."""
    if value is None:
        return "–"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(one)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
