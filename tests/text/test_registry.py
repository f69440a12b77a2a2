"""Models by name: in folders, in distributions and in the package, and what is said where there is none."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.cli.package import wheel_of
from crossarc.models.model_file import read_model_file
from crossarc.text import Pipeline, known_models, load_pipeline, registry
from crossarc.text.registry import description_of

from ..support.parsers import SMALL
from ..support.pipelines import known_pipeline


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "tiny.crossarc"
    known_pipeline().save(path)
    return path


@pytest.fixture(autouse=True)
def nothing_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No models in the package, none of the environment, and none that this machine has installed."""
    in_distributions = registry._in_distributions
    installed = {model.name for model in in_distributions()}
    monkeypatch.setattr(
        registry, "_in_distributions", lambda: [each for each in in_distributions() if each.name not in installed]
    )
    monkeypatch.setattr(registry, "EMBEDDED", tmp_path / "embedded")
    monkeypatch.delenv(registry.VARIABLE, raising=False)


def test_a_file_that_has_the_name_of_a_model_is_said(
    saved: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(registry.VARIABLE, str(saved.parent))
    monkeypatch.chdir(tmp_path)
    Path("tiny").write_bytes(saved.read_bytes())
    with pytest.warns(UserWarning, match="the file tiny of this folder is taken, not the model of this name: write"):
        xa.load("tiny")
    xa.load("./tiny")


def test_folders(saved: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(registry.VARIABLE, f"{tmp_path / 'missing'}:{saved.parent}")
    (model,) = known_models().values()
    assert (model.name, model.path, model.origin) == ("tiny", saved, str(saved.parent))
    assert isinstance(xa.load("tiny"), Pipeline)


def test_the_package(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "EMBEDDED", saved.parent)
    assert known_models()["tiny"].origin == "crossarc"
    assert load_pipeline("tiny").about["language"] == "Tiny"


def test_distributions(saved: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    described = description_of(read_model_file(saved))
    wheel = tmp_path / "crossarc_model_tiny-1.0-py3-none-any.whl"
    wheel.write_bytes(wheel_of("tiny", "1.0", described, saved.read_bytes(), b"no licence"))
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    model = known_models()["tiny"]
    assert model.origin == "crossarc-model-tiny"
    assert model.file.read_bytes() == saved.read_bytes()
    assert isinstance(xa.load("tiny"), Pipeline)
    monkeypatch.setenv(registry.VARIABLE, str(saved.parent))
    assert known_models()["tiny"].path == saved  # a folder that is named comes first
    del sys.modules["crossarc_model_tiny"]


def test_a_distribution_that_is_broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    about = tmp_path / "broken-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[crossarc_models]\nxx = there_is_no_such_module\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(xa.FileError, match=r"xx: the distribution broken .*no_such_module.* mend or remove it"):
        xa.load("xx")
    with pytest.raises(xa.FileError, match="no model of this name"):
        xa.load("yy")


def test_files_come_before_names(saved: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(registry.VARIABLE, str(saved.parent))
    monkeypatch.chdir(tmp_path)
    Path("tiny").mkdir()  # a folder is no model
    assert isinstance(xa.load("tiny"), Pipeline)
    Path("tiny").rmdir()
    Path("tiny").write_text("no model")
    with pytest.warns(UserWarning, match="the file tiny"), pytest.raises(xa.FileError, match="not a crossarc model"):
        xa.load("tiny")


def test_names_that_there_are_not(saved: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(xa.FileError, match="fr: no such file, and no model of this name: there are none"):
        xa.load("fr")
    (tmp_path / "bad.crossarc").write_text("no model")
    monkeypatch.setenv(registry.VARIABLE, f"{saved.parent}:{tmp_path}")
    with pytest.raises(xa.FileError, match=r"tiny, trained on Tiny \(a tiny treebank\)") as caught:
        xa.load("fr")
    assert "bad, which cannot be read" in str(caught.value)
    for path in ("missing.crossarc", "no/such/model", Path("fr")):
        with pytest.raises(xa.FileError, match="cannot be read"):
            xa.load(path)


def test_parsers_take_no_text(tmp_path: Path) -> None:
    path = tmp_path / "parser.crossarc"
    parser = xa.TransitionParser("arc-eager", scorer=SMALL)
    parser.train(xa.sample(20), epochs=1, threads=1)
    parser.save(path)
    assert isinstance(xa.load(path), xa.Parser)
    with pytest.raises(xa.FileError, match="a parser, which takes words and no raw text"):
        load_pipeline(path)
    described = description_of(read_model_file(path))
    assert described["type"] == "transition parser" and described["scores"] == {}
