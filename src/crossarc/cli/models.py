"""`crossarc models`: the models that have names: in the package, in CROSSARC_MODELS, in installed distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .options import Json
from .output import note, print_json

if TYPE_CHECKING:
    from ..text import KnownModel

#: The measures of the table, of the first of these that a model has.
_SHOWN = ("Words", "Sentences", "UPOS", "UFeats", "Lemmas", "LAS")
_MEASURED_ON = ("test, raw text", "test, gold words", "dev, raw text", "dev, gold words")


def models(json: Json = False) -> None:
    """List the models that can be given by name.

    With language, domain, licence, source, size and scores. They are found in the package, in the folders of
    CROSSARC_MODELS (NAME.crossarc), and in installed distributions (entry points of the group crossarc_models; crossarc
    package makes one). Scores are those that the model file has: F1 of the CoNLL 2018 measures, in percent, with --json
    from 0 to 1.

    Examples:

        crossarc models

        CROSSARC_MODELS=my/models crossarc models --json
    """
    from ..text import known_models

    found = [_described(one) for one in known_models().values()]
    if json:
        print_json(found)
        return
    if not found:
        note("no models: train one with crossarc train --pipeline, or put some into a folder of CROSSARC_MODELS")
        return
    _print(found)


def _described(model: KnownModel) -> dict[str, Any]:
    """Return what is known of a model; one that cannot be opened has an error instead."""
    from ..errors import FileError

    place = {"name": model.name, "path": str(model.path), "origin": model.origin}
    try:
        return {**model.description(), **place, "bytes": model.file.stat().st_size}
    except (FileError, OSError) as error:
        return {**place, "error": str(error)}


def _print(found: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ..errors import clean

    console = Console(highlight=False)
    for one in found:
        if "error" in one:
            console.print(Text(f"{one['name']}: {clean(one['error'])}", "red"))
            continue
        size = f"{one['bytes'] / 1e6:.1f} MB"
        title = f"{one['name']}: {one['language'] or one['type']}, {size}, from {one['origin']}"
        console.print(Text(clean(title), "bold"))
        table = Table(box=None, show_header=False, padding=(0, 1))
        for key in ("domain", "source", "licence", "attribution"):
            if one[key]:
                table.add_row(key, Text(clean(one[key])))
        for measured in [name for name in _MEASURED_ON if name in one["scores"]][:2]:
            scores = one["scores"][measured]
            table.add_row(measured, ", ".join(f"{key} {100 * scores[key]:.2f}" for key in _SHOWN if key in scores))
        console.print(table)
