"""A kind of parser of another package joins training, loading and the commands; and nothing imports in a circle."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import crossarc as xa
from crossarc.cli.main import app
from crossarc.models import ModelFile, read_model_file, write_model_file

from ..support.toys import LeftNeighbours
from ..support.warned import bare_words

SOURCE = Path(xa.__file__).parent
#: The folders in which no module may import another in a circle.
FOLDERS = ("features", "models", "training", "parsers")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model of the parser and data to parse."""
    parser = LeftNeighbours()
    parser.train(xa.sample(100, seed=1), dev=xa.sample(40, seed=2))
    parser.save(tmp_path / "m.crossarc")
    xa.write(xa.sample(40, seed=2), tmp_path / "dev.conllu")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@bare_words
def test_it_learns_parses_and_comes_back(folder: Path) -> None:
    dev = xa.read("dev.conllu")
    parser = xa.load("m.crossarc")
    assert isinstance(parser, LeftNeighbours)
    assert isinstance(parser, xa.TrainableParser)
    parsed = parser.parse(dev)
    assert (np.add.reduceat(parsed.head == 0, parsed.word_offsets[:-1]) == 1).all()
    assert parsed[0].heads.tolist() == list(range(len(dev[0])))
    assert parser.parse(["a", "b", "c"]).heads.tolist() == [0, 1, 2]
    assert parser.parse_batch([["a"], ["b", "c"]]).head.tolist() == [0, 0, 1]
    pieces = list(parser.parse_stream([dev[:5], dev[5:]]))
    assert "".join(piece.to_text() for piece in pieces) == parsed.to_text()
    right = (parsed.head == dev.head) & np.equal(parsed.texts("deprel"), dev.texts("deprel"))
    assert parser.info()["dev_las"] == round(float(right.mean()), 6)


@bare_words
def test_the_commands_take_it(folder: Path) -> None:
    run = CliRunner().invoke(app, ["parse", "m.crossarc", "dev.conllu", "-o", "parsed.conllu"])
    assert run.exit_code == 0, run.output
    parser = xa.load("m.crossarc")
    assert Path("parsed.conllu").read_text() == parser.parse(xa.read("dev.conllu")).to_text()
    found = json.loads(CliRunner().invoke(app, ["info", "--json", "m.crossarc"]).output)
    assert (found["type"], found["heads"], found["sentences"]) == ("left neighbours", "the word before", 100)
    assert found["bytes"] == Path("m.crossarc").stat().st_size
    assert CliRunner().invoke(app, ["compress", "m.crossarc", "-o", "small.crossarc"]).exit_code == 0
    assert xa.load("small.crossarc").parse(["a", "b"]).heads.tolist() == [0, 1]


@bare_words
def test_what_goes_wrong_is_said_for_all_kinds(folder: Path) -> None:
    parser = LeftNeighbours()
    with pytest.raises(xa.ParserError, match="was not trained: call train, or load a model"):
        parser.parse(["a"])
    with pytest.raises(xa.ParserError, match="was not trained: there is nothing to save"):
        parser.save("x.crossarc")
    with pytest.raises(xa.ParserError, match="root policy is one of single, any"):
        LeftNeighbours(root="two")
    with pytest.raises(xa.ParserError, match="cutoff is a whole number from 1 "):
        LeftNeighbours(cutoff=0)
    with pytest.raises(xa.MissingHeadsError, match="has no heads: training data need them"):
        parser.train(xa.from_text("1\ta" + 8 * "\t_" + "\n\n"))
    with pytest.raises(xa.ParserError, match="left neighbours keeps no scores"):
        xa.load("m.crossarc").parse_nbest(["a"], 2)
    file = read_model_file("m.crossarc")
    without = {name: array for name, array in file.arrays.items() if name != "table_0"}
    write_model_file("m.crossarc", ModelFile(file.description, without))
    with pytest.raises(xa.FileError, match=r"^m\.crossarc: the description of the model does not fit together"):
        xa.load("m.crossarc")
    write_model_file("m.crossarc", ModelFile({**file.description, "type": "oracle"}, file.arrays))
    with pytest.raises(xa.FileError, match=r"^m\.crossarc: a model of a oracle, which this crossarc does not have"):
        xa.load("m.crossarc")


def test_a_checkpoint_is_of_one_training(folder: Path) -> None:
    train = xa.read("dev.conllu")
    whole, first, second = LeftNeighbours(), LeftNeighbours(), LeftNeighbours()
    whole.train(train, epochs=3)
    first.train(train, epochs=1, checkpoint="checkpoint")
    with pytest.raises(xa.ParserError, match=r"another training \(seed differ\)"):
        second.train(train, epochs=3, seed=2, checkpoint="checkpoint", resume=True)
    second.train(train, epochs=3, checkpoint="checkpoint", resume=True)
    whole.save("whole")
    second.save("second")
    assert Path("whole").read_bytes() == Path("second").read_bytes()


def imported(path: Path) -> set[Path]:
    """The files of the folders that a file imports from, at any depth, for types too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            home = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for name in node.names:
                candidates = (home / f"{name.name}.py", home / name.name / "__init__.py", home.with_suffix(".py"))
                found.add(next((one for one in candidates if one.exists()), home / "__init__.py"))
    return {one for one in found if one.relative_to(SOURCE).parts[0] in FOLDERS}


def test_no_module_imports_another_in_a_circle() -> None:
    graph = {path: imported(path) for folder in FOLDERS for path in (SOURCE / folder).rglob("*.py")}
    assert len(graph) > 25
    while free := {path for path, others in graph.items() if not others & graph.keys()}:
        graph = {path: others for path, others in graph.items() if path not in free}
    assert not graph, sorted(str(path.relative_to(SOURCE)) for path in graph)
