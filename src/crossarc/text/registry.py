"""Models by name: those in the package, in the folders of CROSSARC_MODELS, and in installed distributions.

A folder has `NAME.crossarc`; a distribution names itself by an entry point of the group `crossarc_models`, whose value
is a module with `NAME.crossarc` beside it, or the path of a file. Of several models of a name the first is taken:
CROSSARC_MODELS, distributions, the package. O(models) to list them.
"""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..errors import FileError, MissingFileError, clean
from ..models.model_file import MISFITS, ModelFile, ModelFileError, check_fields, read_model_file, reason
from ..options import text
from ..parsers.base import ABOUT, Parser
from ..parsers.trainable import parser_from_file
from ..training.report import check_record
from .pipeline import TYPE, Pipeline, check_about, trained_on

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

SUFFIX = ".crossarc"
VARIABLE = "CROSSARC_MODELS"
GROUP = "crossarc_models"
EMBEDDED = Path(__file__).resolve().parent.parent / "pretrained"
_PACKAGE = "crossarc"


@dataclass(frozen=True)
class KnownModel:
    """A model that has a name: its file, and where it was found."""

    name: str
    #: None if a distribution names none.
    path: Path | None
    #: `crossarc` (embedded), the name of a distribution, or a folder of CROSSARC_MODELS.
    origin: str
    #: Why there is no path.
    problem: str = ""

    @property
    def file(self) -> Path:
        """The model file; an error where there is none."""
        if self.path is None:
            raise FileError(self.problem)
        return self.path

    def description(self) -> dict[str, Any]:
        """Return what the model file says about itself; see `description_of`."""
        try:
            return description_of(read_model_file(self.file))
        except ModelFileError as error:
            raise ModelFileError(f"{self.path}: {error}") from error


def known_models() -> dict[str, KnownModel]:
    """Return the models that can be loaded by name, by their names."""
    models = [*_in_folders(), *_in_distributions(), *_in_folder(EMBEDDED, _PACKAGE)]
    by_name = {model.name: model for model in reversed(models)}
    return {name: by_name[name] for name in sorted(by_name)}


def _in_folders() -> list[KnownModel]:
    folders = [folder for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]
    return [model for folder in folders for model in _in_folder(Path(folder), folder)]


def _in_folder(folder: Path, origin: str) -> list[KnownModel]:
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)
    except OSError:  # there is no such folder, or it cannot be read
        return []
    return [KnownModel(path.stem, path, origin) for path in files]


def _in_distributions() -> list[KnownModel]:
    if not _may_be_named():
        return []
    from importlib.metadata import entry_points

    return [_named_by(point) for point in entry_points(group=GROUP)]


def _may_be_named() -> bool:
    """Whether a file of entry points has the group: to look is much quicker than to import `importlib.metadata`."""
    for folder in sys.path:
        try:
            names = [entry.path for entry in os.scandir(folder or ".") if entry.name.endswith(("-info", ".egg"))]
        except NotADirectoryError:  # an archive
            return True
        except OSError:
            continue
        for name in names:
            try:
                if GROUP.encode() in Path(name, "entry_points.txt").read_bytes():
                    return True
            except OSError:
                if name.endswith(".egg"):
                    return True
    return False


def _named_by(point: EntryPoint) -> KnownModel:
    """Return the model that an entry point names."""
    origin = point.dist.name if point.dist is not None else point.value
    try:
        value: Any = point.load()
        if isinstance(value, ModuleType):
            return KnownModel(point.name, Path(str(value.__file__)).parent / f"{point.name}{SUFFIX}", origin)
        return KnownModel(point.name, Path(os.fspath(value)), origin)
    except Exception as error:  # importing other people's modules may raise anything
        problem = f"{point.name}: the distribution {origin} has no such model ({reason(error)}): mend or remove it"
        return KnownModel(point.name, None, origin, problem)


def load(model: str | os.PathLike[str]) -> Parser:
    """Return the parser or pipeline of a model file, given by its path, or by a name that `crossarc models` lists."""
    path = find(model)
    file = read_model_file(path)
    try:
        return Pipeline.from_model_file(file) if file.description.get("type") == TYPE else parser_from_file(file)
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from error


def load_pipeline(model: str | os.PathLike[str]) -> Pipeline:
    """Return the pipeline of a model; a parser alone, which takes no raw text, is refused."""
    pipeline = load(model)
    if not isinstance(pipeline, Pipeline):
        raise FileError(
            f"{os.fspath(model)}: a parser, which takes words and no raw text: "
            "train a pipeline, crossarc train --pipeline, or give words"
        )
    return pipeline


def find(model: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return the file of a model: itself if it is one or looks like one, else that of the name."""
    if not isinstance(model, str) or Path(model).name != model or model.endswith(SUFFIX):
        return model
    models = known_models()
    if os.path.lexists(model) and not Path(model).is_dir():
        if model in models:
            hidden = f"the file {model} of this folder is taken, not the model of this name"
            warnings.warn(f"{hidden}: write ./{model} if you mean it, else rename it", stacklevel=3)
        return model
    if model in models:
        return models[model].file
    raise MissingFileError(f"{model}: no such file, and no model of this name: {_listed(models)}")


def _listed(models: dict[str, KnownModel]) -> str:
    """Say which models there are and what they were trained on."""
    if not models:
        return f"there are none; train one with crossarc train --pipeline, or put models into a folder of {VARIABLE}"
    return "there are " + "; ".join(f"{name}, {_origin(model)}" for name, model in models.items())


def _origin(model: KnownModel) -> str:
    try:
        described = model.description()
    except FileError as error:
        return f"which cannot be read ({error})"
    return trained_on(described, described["trained_on"])


def description_of(file: ModelFile) -> dict[str, Any]:
    """Return what a model file says about itself, without making the model of it.

    `type`, the fields of `ABOUT` (None where it does not say), `scores`, and `trained_on`, the names of files.
    """
    data = file.description
    try:
        check_fields("description", data, {"type": text}, {"about": check_about})
        about = data.get("about", {})
        training = (data["parser"] if data["type"] == TYPE else data)["training"]
        check_record("training", training)
    except MISFITS as error:
        raise ModelFileError(f"the description of the model does not fit together ({reason(error)})") from error
    known = {"crossarc": training.get("crossarc"), "command": training.get("command"), **about}
    return {
        "type": data["type"],
        **{key: known.get(key) for key in ABOUT},
        "scores": about.get("scores", {}),
        "trained_on": [clean(name) for name in training["sources"]],
    }
