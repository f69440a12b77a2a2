"""`crossarc info`: what a model is, what it was trained on, how good and how large it is."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Json
from .output import print_json


def info(
    model: Annotated[str, typer.Argument(help="A model file, or a name of crossarc models.", metavar="MODEL")],
    json: Json = False,
) -> None:
    """Say what a model is, what it was trained on, how good and how large it is.

    The columns are those that sentences need in order to be parsed, as the training data had them; the command is that
    of crossarc train, without the options that do not change the model (-o, --threads …). Scores on development data
    are in percent, with --json from 0 to 1.

    Examples:

        crossarc info my.crossarc

        crossarc info en
    """
    from ..errors import clean
    from ..reports.text import percentage
    from ..text import load
    from ..text.registry import find

    path = Path(find(model))
    described = load(path).info()
    if path.is_file():  # a pipe has no size and no date
        status = path.stat()
        described["written"] = datetime.fromtimestamp(status.st_mtime, timezone.utc).isoformat(" ", "seconds")
        described["bytes"] = status.st_size
    if json:
        print_json(described)
        return
    parts = {name: described.pop(name) for name in ("segmenter", "parser", "tagger") if name in described}
    scores = described.pop("scores", {})
    _print(described)
    for title, one in scores.items():
        print(f"\n{clean(title)}: " + ", ".join(f"{clean(name)} {percentage(share)}" for name, share in one.items()))
    for name, part in parts.items():
        print(f"\n{name}")
        _print(part)


def _print(described: dict[str, Any]) -> None:
    """Print names and values under each other."""
    from ..errors import clean
    from ..reports.text import percentage

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
