"""Facts about the project itself: data flows one way, files are few, the extension has its types."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

import crossarc
from crossarc import _kernel

from .support.import_graph import Graph, circles, import_graph, imported_names, module_names

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCE = REPOSITORY / "src" / "crossarc"
TESTS = REPOSITORY / "tests"

# The order of the folders in the design: each may import from those before it.
ORDER = [
    *("_kernel", "_progress", "errors", "options", "files", "_arrays", "tree", "treebank", "structure", "decoders"),
    *("transitions", "encodings", "features", "models", "training", "parsers", "text", "evaluation", "drawing"),
    *("stepping", "reports", "samples", "annotation", "spacy", "service", "cluster"),
    "cli",
]
# Methods of a tree that are functions of these folders call them when they are called themselves; an error of a
# treebank says of what type its problems are.
MAY_CALL = {"tree": {"structure", "drawing"}, "errors": {"treebank"}}
# How many modules of a folder are in a circle of imports. Numbers here only become smaller.
MODULES_IN_CIRCLES = {"treebank": 2, "transitions": 9}


def folder_of(module: str) -> str:
    """The folder or file beside the folders that a module is in."""
    return module.split(".")[1]


def graph() -> Graph:
    """The imports of the package; what the package itself offers on demand counts as coming from its home."""
    found = import_graph(SOURCE, {name: home for home, names in crossarc._HOMES.items() for name in names.split()})
    return {name: others - {"crossarc"} for name, others in found.items() if name != "crossarc"}


def test_data_flows_one_way() -> None:
    """A folder imports from those before it, at its modules' tops, inside functions and for types alike."""
    for module, others in graph().items():
        for other in others:
            own, used = folder_of(module), folder_of(other)
            assert own in ORDER, f"{own} has no place in the order of folders"
            if used not in MAY_CALL.get(own, ()):
                assert ORDER.index(used) <= ORDER.index(own), f"{module} imports from {other}"


def test_transition_parsers_know_scorers_by_their_protocol() -> None:
    """And none by its class: any that is registered takes part."""
    shared = {f"crossarc.models.{name}" for name in ("base", "model_file")}
    for module, others in graph().items():
        if module.startswith("crossarc.parsers.transition"):
            assert {other for other in others if folder_of(other) == "models"} <= {"crossarc.models", *shared}, module


def test_an_import_is_seen_in_every_form(tmp_path: Path) -> None:
    package = tmp_path / "crossarc"
    for name, text in {
        "__init__.py": "",
        "tree.py": "",
        "reports.py": "",
        "treebank/__init__.py": "",
        "treebank/rows.py": "",
        "cli/__init__.py": "",
        "cli/main.py": (
            "from typing import TYPE_CHECKING\nimport os.path, crossarc.treebank.rows\nfrom .. import tree\n"
            "def late():\n    from .. import evaluate\n"
            "if TYPE_CHECKING:\n    from . import other\n    from ..treebank import Row\n"
        ),
        "cli/other.py": "from .main import late\n",
    }.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = import_graph(package, {"evaluate": "reports"})
    wanted = {"treebank", "treebank.rows", "tree", "reports", "cli.other"}
    assert found["crossarc.cli.main"] == {f"crossarc.{name}" for name in wanted}
    assert circles(found) == [["crossarc.cli.main", "crossarc.cli.other"]]


def test_imports_go_in_no_circle() -> None:
    """But for old ones, of which there may only be fewer."""
    found = graph()
    for own, called in MAY_CALL.items():
        found[f"crossarc.{own}"] = {other for other in found[f"crossarc.{own}"] if folder_of(other) not in called}
    caught = Counter(folder_of(module) for circle in circles(found) for module in circle)
    assert caught <= Counter(MODULES_IN_CIRCLES), circles(found)


def test_no_test_depends_on_the_clock() -> None:
    """However busy the machine is: no sleeping, no timeouts, no speed. Waiting for a fact is in one place."""
    clock = re.compile(r"\btime\.\w+|\bfrom time import|\b(?:timeout|deadline)=\w+")
    found = {
        (path.relative_to(TESTS).as_posix(), use)
        for path in TESTS.rglob("*.py")
        if path != Path(__file__)
        for use in clock.findall(path.read_text())
    }
    assert found == {("conftest.py", "deadline=None"), ("support/commands.py", "time.sleep")}


def test_tests_share_through_support_alone() -> None:
    for name, path in module_names(TESTS).items():
        for imported in imported_names(path.read_text(), name.split(".")[:-1]):
            assert not re.search(r"\btests\..*\btest_", imported), f"{path} imports {imported}"


def source_files() -> list[Path]:
    return [*SOURCE.rglob("*.py"), *(REPOSITORY / "kernel").rglob("*.?pp")]


def test_files_hold_one_idea_and_are_few_enough_to_be_known() -> None:
    for path in source_files():
        assert len(path.read_text().splitlines()) <= 500, path
    # 391, ten that hold parts of what was one file (a vector path each, an encoder, a head, their common ground), five
    # of pieces of words and seventeen of transformers.
    # Three of strict scores of non-projective arcs: their counts, constructions, and what reports show of them.
    # Four of crossed arcs in graph parsers: what is learnt and chosen, what training gives, and a search (two).
    # Two of Ancient Greek: the tags of the AGDT, and other spellings.
    # Ten of correcting trees: sentences, edits, files and doubt, agreement, their requests, two commands.
    # Eight of exports, many files, seeds and the levels of UD: what is done, and how it is asked for and shown.
    # Four of lemmas: a ranker, rules, spellings, and what puts them together.
    # One of alterations of texts from which segmenters learn.
    # Four of parsing again while trees are corrected: candidates, how a network sees them, what corrections say, and
    # what a service keeps of that. One of options by the size of the data.
    # Two of LSTM layers on encoders, two of what a student learns of a teacher, two of lemmas (capitals and slips), one
    # of thresholds of sentences, and one that best charts were divided into.
    # One of lemmas that trees decide, and one of relations that a word has once.
    # One of ends of sentences by words.
    # One of what a dictionary says of tags, and one of what is put into texts that segmenters learn from.
    # Two of parts of texts as columns, one of what teaches no lemmas, and two that the segmenter and its network were
    # divided into: texts in pieces, and doubt.
    # One of FEATS that trees decide. One of products of bytes by AVX-512 without VNNI, a vector path. One of
    # particles in lemmas. Two of lists of words: what they are, and what Python sees of them.
    assert len(source_files()) <= 496


def test_the_architecture_names_what_there_is() -> None:
    """Every file and folder, and the folders in the order in which they may import."""
    page = (REPOSITORY / "docs" / "architecture.md").read_text()
    folders = [SOURCE, REPOSITORY / "kernel", TESTS]
    paths = [*folders, *(path for folder in folders for path in folder.rglob("*"))]
    named = re.findall(r"`((?:\w+/)+[\w.]*|\w+\.(?:py|hpp))`", page)
    for name in named:
        assert any(f"{path.as_posix()}/".endswith(f"/{name.rstrip('/')}/") for path in paths), name
    assert len(named) > 50
    listed = re.search(r"Folders, in the order of the data: ([^.]*)\.", page)
    assert listed is not None
    assert listed[1].replace("\n ", "").split(", ") == ORDER[ORDER.index("treebank") :]


def test_no_type_is_ignored() -> None:
    for path in SOURCE.rglob("*.py"):
        assert "type: ignore" not in path.read_text(), path


def test_names_of_the_kernel_are_told_apart() -> None:
    """Two types of one name in different files would be taken for one by the linker, without a word."""
    homes: dict[str, Path] = {}
    for path in sorted((REPOSITORY / "kernel").rglob("*.?pp")):
        for name in re.findall(r"^(?:struct|class|enum class) (\w+)\b(?!::)[^;]*\{", path.read_text(), re.M):
            assert homes.setdefault(name, path) == path, f"{name} in {homes[name]} and in {path}"


def test_the_types_of_the_extension_are_installed_beside_it() -> None:
    if _kernel.sanitized:
        pytest.skip("the sanitizer build is made without them")
    module = ast.parse((Path(crossarc.__file__).parent / "_kernel.pyi").read_text())
    typed = {statement.name for statement in module.body if isinstance(statement, (ast.ClassDef, ast.FunctionDef))}
    typed |= {
        statement.target.id
        for statement in module.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }
    assert typed == {name for name in vars(_kernel) if not name.startswith("_")}


def test_the_package_under_test_is_the_installed_one() -> None:
    assert not Path(crossarc.__file__).is_relative_to(SOURCE)


def test_the_public_face_is_complete() -> None:
    for name in crossarc.__all__:
        assert getattr(crossarc, name) is not None
    assert "read" in dir(crossarc)
    with pytest.raises(AttributeError, match="no attribute 'raed'"):
        _ = crossarc.raed
