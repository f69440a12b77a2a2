"""Feature models of the papers, shipped as files of templates: their names, what they are and for which system.

Table 2 of Nivre & Nilsson 2005; the base model of Nivre et al. 2006, which the experiments of 2010, 2012 and 2013 start
from, with what Gómez-Rodríguez & Nivre 2010 (Section 6) and Gómez-Rodríguez & Fernández-González 2012 (Section 3.1) add
or replace; and what MaltParser itself takes, for LIBSVM and, with conjunctions, for LIBLINEAR. A file begins with
comments: what it is, and `# system: NAME`. Parts of speech are XPOS, which CoNLL-X calls POSTAG. O(length of a file).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).with_name("models")
_SUFFIX = ".txt"
_SYSTEM = "system: "


@dataclass(frozen=True)
class FeatureModel:
    """A shipped file of templates."""

    name: str
    #: The transition system whose configurations it was made for.
    system: str
    #: Which paper or program it is from.
    about: str
    path: Path

    @property
    def text(self) -> str:
        """The file, as `crossarc features` prints it and `--features` takes it."""
        return self.path.read_text(encoding="utf-8")


def feature_models() -> dict[str, FeatureModel]:
    """Return the shipped models by name."""
    return {path.stem: _described(path) for path in sorted(_FOLDER.glob(f"*{_SUFFIX}"))}


def templates_path(name: str | os.PathLike[str]) -> str:
    """Return the file that is meant by a path or by the name of a shipped model; a file of that name goes first."""
    given = Path(name)
    shipped = _FOLDER / f"{given.name}{_SUFFIX}"
    is_name = given.name == str(given) and not given.exists()
    return str(shipped) if is_name and shipped.is_file() else os.fspath(name)


def _described(path: Path) -> FeatureModel:
    comments = [line[1:].strip() for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    about = " ".join(line for line in comments if not line.startswith(_SYSTEM))
    system = next(line.removeprefix(_SYSTEM) for line in comments if line.startswith(_SYSTEM))
    return FeatureModel(path.stem, system, about, path)
