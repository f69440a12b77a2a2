"""Models by name: those in the package, in the folders of CROSSARC_MODELS, and in installed distributions.

A folder has `NAME.crossarc`; a distribution names itself by an entry point of the group `crossarc_models`, whose value
is a module with `NAME.crossarc` beside it, or the path of a file. Of several models of a name the first is taken:
CROSSARC_MODELS, distributions, the package. O(models) to list them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import FileError, MissingFileError
from ..models.model_file import ModelFileError, printable, read_model_file
from ..parsers.base import Parser, parser_of
from .pipeline import TYPE, Pipeline, trained_on

SUFFIX = ".crossarc"
VARIABLE = "CROSSARC_MODELS"
GROUP = "crossarc_models"
EMBEDDED = Path(__file__).resolve().parent.parent / "pretrained"
_PACKAGE = "crossarc"


@dataclass(frozen=True)
class KnownModel:
    """A model that has a name: its file, and where it was found."""

    name: str
    path: Path
    #: `crossarc` (embedded), the name of a distribution, or a folder of CROSSARC_MODELS.
    origin: str


def known_models() -> dict[str, KnownModel]:
    """Return the models that can be loaded by name, by their names."""
    found: dict[str, KnownModel] = {}
    for one in (*_in_folders(), *_in_distributions(), *_in_folder(EMBEDDED, _PACKAGE)):
        found.setdefault(one.name, one)
    return dict(sorted(found.items()))


def _in_folders() -> list[KnownModel]:
    folders = [folder for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]
    return [one for folder in folders for one in _in_folder(Path(folder), folder)]


def _in_folder(folder: Path, origin: str) -> list[KnownModel]:
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)
    except OSError:  # there is no such folder, or it cannot be read
        return []
    return [KnownModel(path.stem, path, origin) for path in files]


def _in_distributions() -> list[KnownModel]:
    found = []
    for point in entry_points(group=GROUP):
        origin = point.dist.name if point.dist is not None else point.value
        found.append(KnownModel(point.name, _path_of(point), origin))
    return found


def _path_of(point: EntryPoint) -> Path:
    """Return the model file that an entry point names."""
    try:
        value: Any = point.load()
        if isinstance(value, ModuleType):
            return Path(str(value.__file__)).parent / f"{point.name}{SUFFIX}"
        return Path(os.fspath(value))
    except Exception as error:  # whatever the distribution of somebody else raises when it is imported
        raise FileError(
            f"the model {point.name} of the entry point {point.value} cannot be found ({error}): "
            "mend or remove the distribution"
        ) from error


def load(model: str | os.PathLike[str]) -> Parser | Pipeline:
    """Return the parser or pipeline of a model file, given by its path, or by a name that `crossarc models` lists."""
    path = find(model)
    file = read_model_file(path)
    try:
        return Pipeline.from_model_file(file) if file.description.get("type") == TYPE else parser_of(file)
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from error


def load_pipeline(model: str | os.PathLike[str]) -> Pipeline:
    """Return the pipeline of a model; a parser alone, which takes no raw text, is refused."""
    found = load(model)
    if not isinstance(found, Pipeline):
        raise FileError(
            f"{os.fspath(model)}: a parser, which takes words and no raw text: "
            "train a pipeline, crossarc train --pipeline, or give words"
        )
    return found


def find(model: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return the file of a model: itself if it is one or looks like one, else that of the name."""
    if not isinstance(model, str) or Path(model).name != model or model.endswith(SUFFIX):
        return model
    if Path(model).exists() and not Path(model).is_dir():
        return model
    models = known_models()
    if model in models:
        return models[model].path
    raise MissingFileError(f"{model}: no such file, and no model of this name: {_listed(models)}")


def _listed(models: dict[str, KnownModel]) -> str:
    """Say which models there are and what they were trained on."""
    if not models:
        return f"there are none; train one with crossarc train --pipeline, or put models into a folder of {VARIABLE}"
    return "there are " + "; ".join(f"{name}, {_origin(one)}" for name, one in models.items())


def _origin(model: KnownModel) -> str:
    try:
        description = read_model_file(model.path).description
        about = description.get("about") or {}
        parser = description.get("parser") or description
        return printable(trained_on(about, parser["training"]["sources"]))
    except (FileError, LookupError, TypeError, AttributeError) as error:
        return f"which cannot be read ({error})"
