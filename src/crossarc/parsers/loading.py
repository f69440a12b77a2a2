"""Opening model files, whichever parser they hold."""

from __future__ import annotations

import os

from ..models import ModelFileError, read_model_file
from .transition.parser import TransitionParser


def load(path: str | os.PathLike[str]) -> TransitionParser:
    """Return the parser of a model file that `save` or `crossarc train` wrote."""
    file = read_model_file(path)
    kind = file.description.get("type")
    if kind != TransitionParser.type:
        raise ModelFileError(f"{os.fspath(path)}: a model of a {kind}, which this crossarc does not have")
    try:
        return TransitionParser.from_model_file(file)
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from error
