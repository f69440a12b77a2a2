"""What people expect of a Python library: paths, names, errors of the usual kinds, progress, messages, help."""

from __future__ import annotations

import inspect
import io
import logging
import pickle
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from textwrap import indent
from types import SimpleNamespace
from typing import Any

import pytest

import crossarc as xa
from crossarc._progress import is_watched
from crossarc.encodings import named_encoding
from crossarc.options import Options, parameter_texts
from crossarc.text import SegmenterOptions

from .support.commands import crossarc as command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("habits")
    xa.write(xa.sample(40, seed=1), path / "train.conllu")
    xa.write(xa.sample(20, seed=2), path / "dev.conllu.gz")
    return path


@pytest.fixture(scope="module")
def parser(folder: Path) -> xa.TransitionParser:
    parser = xa.TransitionParser("auto", scorer="perceptron")
    parser.train(folder / "train.conllu", dev=str(folder / "dev.conllu.gz"), epochs=1)
    return parser


def test_auto_takes_what_analyze_recommends(folder: Path, parser: xa.TransitionParser) -> None:
    choice = xa.analyze(folder / "train.conllu").recommendation.choice
    assert (parser.system.name, parser.encoding) == (choice.system, choice.encoding)
    untrained = xa.TransitionParser("auto")
    assert untrained.name == "auto" and not untrained.builds_enhanced_graphs
    with pytest.raises(xa.ParserError, match="it is chosen when the parser is trained"):
        _ = untrained.system
    with pytest.raises(xa.ParserError, match='"auto" chooses the encoding, too'):
        xa.TransitionParser("auto", encoding="head")
    with pytest.raises(xa.MissingHeadsError, match="training data need them"):
        xa.TransitionParser("auto").train(xa.Treebank.from_words([["Go", "on"]]))


def test_auto_learns_what_the_named_system_learns(folder: Path, parser: xa.TransitionParser, tmp_path: Path) -> None:
    named = xa.TransitionParser(parser.system.name, encoding=parser.encoding, scorer="perceptron")
    named.train(folder / "train.conllu", dev=folder / "dev.conllu.gz", epochs=1)
    for name, one in (("auto", parser), ("named", named)):
        one.save(tmp_path / name)
    assert (tmp_path / "auto").read_bytes() == (tmp_path / "named").read_bytes()
    assert xa.load(tmp_path / "auto").parse(folder / "dev.conllu.gz").has_heads


def test_encodings_have_names() -> None:
    assert xa.TransitionParser("arc-eager", encoding="head+path").encoding == xa.PseudoProjective("head+path")
    assert xa.TransitionParser("undirected-2-planar", encoding="undirected").encoding == xa.Undirected("label")
    assert named_encoding("head,undirected") == xa.Undirected("label").after(xa.PseudoProjective("head"))
    with pytest.raises(xa.CrossarcError, match='unknown scheme "heads": use one of baseline, head'):
        xa.TransitionParser("arc-eager", encoding="heads")
    with pytest.raises(xa.ParserError, match="the encoding is a name such as head"):
        xa.TransitionParser("arc-eager", encoding=3)  # type: ignore[arg-type]


def test_a_path_stands_for_its_treebank(folder: Path, parser: xa.TransitionParser) -> None:
    path, treebank = folder / "dev.conllu.gz", xa.read(folder / "dev.conllu.gz")
    assert xa.classify(path).planarity_upper.tolist() == xa.classify(treebank).planarity_upper.tolist()
    assert xa.classify(str(path)).words == treebank.words
    assert xa.analyze(str(path)).to_dict() == xa.analyze(treebank).to_dict()
    parsed = parser.parse(path)
    assert parsed.to_bytes() == parser.parse(treebank).to_bytes()
    xa.write(parsed, folder / "parsed.conllu")
    assert xa.evaluate(path, folder / "parsed.conllu").las == xa.evaluate(treebank, parsed).las


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: xa.read(None), "cannot read None"),  # type: ignore[arg-type]
        (lambda: xa.read([5]), "cannot read a int"),  # type: ignore[list-item]
        (lambda: xa.analyze(5), "a treebank, a path, or treebanks by name are needed, not a int"),  # type: ignore[arg-type]
        (lambda: xa.classify(None), "a treebank, the path of one, or heads are needed"),  # type: ignore[arg-type]
        (lambda: xa.evaluate(1, 2), "a treebank or the path of one is needed, not a int"),  # type: ignore[arg-type]
        (lambda: xa.write("text", "x"), "can be written, not a str"),  # type: ignore[arg-type]
        (lambda: xa.write(xa.sample(1), 5), "to write to, not a int"),  # type: ignore[arg-type]
        (lambda: xa.TransitionParser().train(None), "is needed, not None"),  # type: ignore[arg-type]
    ],
)
def test_wrong_kinds_of_things_are_type_errors_of_ours(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message) as caught:
        call()
    assert isinstance(caught.value, xa.CrossarcError)


def test_a_text_is_no_list_of_words(parser: xa.TransitionParser) -> None:
    for wrong in ("dev.conllu", 5):
        with pytest.raises(xa.ParserError, match="list of words"):
            parser.parse(wrong)  # type: ignore[arg-type]


def test_errors_of_files_are_those_of_the_system(tmp_path: Path) -> None:
    missing = tmp_path / "missing.conllu"
    for call in (lambda: xa.read(missing), lambda: xa.load(missing), lambda: list(xa.stream(missing))):
        with pytest.raises(FileNotFoundError) as caught:
            call()
        assert isinstance(caught.value, xa.FileError)
        assert (caught.value.errno, caught.value.filename) == (2, str(missing))
        assert str(caught.value) == f"{missing}: cannot be read: No such file or directory"
        same = pickle.loads(pickle.dumps(caught.value))
        assert (type(same), str(same), same.errno) == (type(caught.value), str(caught.value), 2)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        xa.write(xa.sample(1), tmp_path / "none" / "x.conllu")
    with pytest.raises(IsADirectoryError, match="is a directory"):
        next(xa.stream(tmp_path))
    with pytest.raises(FileNotFoundError, match="no model of this name"):
        xa.load("no-such-language")
    (tmp_path / "kept.conllu").touch(mode=0o444)
    with pytest.raises(PermissionError, match="write-protected"):
        xa.write(xa.sample(1), tmp_path / "kept.conllu")
    with pytest.raises(OSError, match="not a crossarc model"):
        xa.load(tmp_path / "kept.conllu")


def test_things_say_what_they_are(folder: Path, parser: xa.TransitionParser) -> None:
    assert repr(xa.TransitionParser("auto")) == "<TransitionParser auto, network, not trained>"
    assert repr(xa.GraphParser("projective")) == "<GraphParser graph, projective, biaffine, not trained>"
    shown = repr(parser)
    about = f"TransitionParser {parser.system.name}, perceptron"
    assert shown.startswith(f"<{about}, trained on train.conllu: 40 sentences, LAS")
    assert shown.endswith(" on development data>")
    treebank = xa.read(folder / "train.conllu")
    assert repr(treebank) == f"<Treebank train.conllu: 40 sentences, {treebank.words} words, conllu>"
    assert repr(xa.classify(treebank)).startswith(f"<Classification of 40 sentences, {treebank.words} words: ")
    assert repr(parser.parse_scored(treebank)) == "<Analyses of 40 sentences: 40 trees>"


def sizes(pair: tuple[xa.Treebank, xa.Parser]) -> tuple[int, bytes]:
    treebank, parser = pair
    return treebank.words, parser.parse(treebank, threads=1).to_bytes()


def test_treebanks_and_parsers_go_to_processes_that_spawn(folder: Path, parser: xa.TransitionParser) -> None:
    treebank = xa.read(folder / "dev.conllu.gz")
    with get_context("spawn").Pool(1) as pool:
        found = pool.map(sizes, [(treebank[:5], parser), (treebank[5:], parser)])
    assert sum(words for words, _ in found) == treebank.words
    assert b"".join(text for _, text in found) == parser.parse(treebank).to_bytes()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "progress", "shown"),
    [(Terminal, None, True), (Terminal, False, False), (io.StringIO, None, False), (io.StringIO, True, True)],
)
def test_a_bar_is_shown_to_whoever_watches(
    folder: Path, monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO], progress: bool | None, shown: bool
) -> None:
    errors = stream()
    monkeypatch.setattr(sys, "stderr", errors)
    monkeypatch.setenv("TERM", "xterm")
    parser = xa.TransitionParser("arc-eager", scorer="perceptron", encoding="head")
    parser.train(folder / "train.conllu", epochs=1, progress=progress)
    assert ("epoch 1 of 1" in errors.getvalue() or "training" in errors.getvalue()) == shown
    assert shown or not errors.getvalue()


@pytest.mark.parametrize(("shell", "shown"), [("ZMQInteractiveShell", True), ("TerminalInteractiveShell", False)])
def test_a_notebook_watches(monkeypatch: pytest.MonkeyPatch, shell: str, shown: bool) -> None:
    """IPython in a terminal that is none, a pipe, is no notebook."""
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: type(shell, (), {})()))
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert is_watched() == shown


def test_whoever_is_told_of_epochs_sees_no_bar(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    errors = Terminal()
    monkeypatch.setattr(sys, "stderr", errors)
    told: list[int] = []
    parser = xa.TransitionParser("arc-eager", scorer="perceptron", encoding="head")
    parser.train(folder / "train.conllu", epochs=2, on_epoch=lambda epoch: told.append(epoch.number))
    assert (told, errors.getvalue()) == ([1, 2], "")


def test_training_tells_the_logger(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "crossarc"):
        xa.TransitionParser("auto", scorer="perceptron").train(folder / "train.conllu", epochs=1)
    said = {record.name: record.getMessage() for record in caplog.records}
    assert said["crossarc.treebank"].startswith(f"read {folder / 'train.conllu'}: 40 sentences")
    assert "non-projective" in said["crossarc.parsers"]
    assert said["crossarc.training"].startswith("epoch 1: ")


def test_the_library_is_silent_unless_asked(folder: Path) -> None:
    assert any(isinstance(handler, logging.NullHandler) for handler in logging.getLogger("crossarc").handlers)


@pytest.mark.parametrize(
    "options",
    [xa.Network, xa.Biaffine, xa.Perceptron, xa.Svm, xa.LinearSvm, xa.MemoryBased, SegmenterOptions],
)
def test_help_explains_every_parameter(options: type) -> None:
    explained = inspect.getdoc(options) or ""
    for name in inspect.signature(options).parameters:
        assert f"\n    {name}: " in explained, f"{options.__name__} does not explain {name}"


@pytest.mark.parametrize("indentation", ["    ", ""], ids=["as written", "as of Python 3.13"])
def test_parameters_of_bases_are_explained_once(indentation: str) -> None:
    explained = "Options.\n\nParameters:\n    first: What is\n        first.\n    {}: The rest.\n"
    base = type("Base", (Options,), {"__doc__": indent(explained.format("second"), indentation).lstrip()})
    derived = type("Derived", (base,), {"__doc__": indent(explained.format("third"), indentation).lstrip()})
    texts = {"first": "What is\n        first.", "second": "The rest.", "third": "The rest."}
    assert parameter_texts(derived) == texts
    assert (inspect.getdoc(derived) or "").count("first: ") == 1


@pytest.mark.parametrize("kind", [xa.TransitionParser, xa.GraphParser])
def test_help_explains_the_parameters_of_parsers(kind: type) -> None:
    explained = inspect.getdoc(kind) or ""
    for name in inspect.signature(kind).parameters:
        assert f"\n    {name}: " in explained, f"{kind.__name__} does not explain {name}"


def test_scores_are_shares_in_python_and_json_and_percent_in_print(folder: Path, parser: xa.TransitionParser) -> None:
    dev = xa.read(folder / "dev.conllu.gz")
    found = xa.evaluate(dev, parser.parse(dev))
    assert 0 < found.las <= 1
    assert found.to_dict()["all_words"]["las"]["f1"] == found.las == found.scores.all_words.attachment.las.f1
    assert f"{100 * found.las:.2f}" in str(found)
    assert parser.info()["dev_las"] == pytest.approx(found.las, abs=1e-6)
    assert f"LAS {100 * found.las:.2f}" in repr(parser)
    assert f"{found.las:.6f}" in found.to_csv()


def test_commands_say_more_or_nothing(folder: Path, tmp_path: Path) -> None:
    train = ["train", str(folder / "train.conllu"), "--scorer", "perceptron", "--epochs", "1", "--seed", "2"]
    plain, quiet, verbose = (
        command(*train, "-o", str(tmp_path / name), *options)
        for name, options in (("a", ()), ("b", ("-q",)), ("c", ("-vv",)))
    )
    assert (plain.returncode, quiet.returncode, verbose.returncode) == (0, 0, 0)
    assert "epoch 1" in plain.stderr and quiet.stderr == ""
    assert f"crossarc.treebank: read {folder / 'train.conllu'}" in verbose.stderr
    assert verbose.stderr.count("epoch 1: ") == 1
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()
    failed = command("analyze", "-q", "missing.conllu")
    assert failed.returncode == 2 and "No such file" in failed.stderr


def test_every_command_has_both_options() -> None:
    from crossarc.cli.main import app

    for one in app.registered_commands:
        assert one.callback is not None
        assert {"verbose", "quiet"} <= set(inspect.signature(one.callback).parameters)
