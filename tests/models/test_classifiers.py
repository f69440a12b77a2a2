"""Support vector machines and nearest neighbours as scorers: they score as their libraries do, learn, parse, load."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.errors import OptionError
from crossarc.features import Vocabularies
from crossarc.models import ModelFile, read_model_file, write_model_file
from crossarc.models.classifiers import ensemble
from crossarc.models.classifiers.ensemble import Part, frequent_first
from crossarc.models.classifiers.linear_svm import METHODS
from crossarc.models.classifiers.svm import SvmClassifier
from crossarc.models.classifiers.template_values import TemplateAtoms, TemplateValues
from crossarc.models.lockstep import Lockstep
from crossarc.options import Bounds
from crossarc.parsers import ParserError
from crossarc.transitions.algebra import systems

from ..support.altered import altered_arrays
from ..support.commands import crossarc
from ..support.parsers import baseline, las

TEMPLATES = ("s0.upos", "b0.upos", "b1.upos", "s0.lemma", "b0.lemma", "s0.feats:*", "b0.l1.deprel", "link(s0,b0)")
LABELS = ("s0.upos", "b0.upos", "s0.lemma", "b0.lemma", "distance(s0,b0)")
SVM = xa.Svm(TEMPLATES, split_least=150)
LINEAR = xa.LinearSvm((*TEMPLATES, "s0.upos+b0.upos", "s0.lemma+b0.lemma"), split_least=150)
MEMORY = xa.MemoryBased(TEMPLATES)


@pytest.fixture(scope="module")
def train() -> xa.Treebank:
    return xa.sample(150, seed=1)


@pytest.fixture(scope="module")
def dev() -> xa.Treebank:
    return xa.sample(40, seed=2)


def problem(classes: int, seed: int = 1) -> Part:
    """Rows whose first columns say what the class is, mostly; 0 is a value that is not known."""
    chance = np.random.default_rng(seed)
    numbers = chance.integers(0, 5, (120, 6)).astype(np.uint32)
    own = (numbers[:, 0] + numbers[:, 1] + (chance.random(120) < 0.1)) % classes
    numbers[0], own[:classes] = 1, np.arange(classes)
    return Part(numbers, own.astype(np.int32), classes, np.full(6, 5))


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_machines_with_kernels_score_as_libsvm_does(classes: int) -> None:
    svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is not installed")
    part = problem(classes)
    (found,) = xa.Svm(coefficient=0.3, gamma=0.5, cost=10, tolerance=0.01).fit([part], 1)
    table = ensemble.one_hot(part.numbers, part.sizes)
    assert table.sum() == (part.numbers > 0).sum()
    machine = svm.SVC(C=10, kernel="poly", degree=2, gamma=0.5, coef0=0.3, tol=0.01, decision_function_shape="ovo")
    expected = machine.fit(table, part.classes).decision_function(table)
    assert isinstance(found, SvmClassifier)
    first, second = np.triu_indices(classes, 1)
    decisions = found._decisions(part.numbers)[:, first, second]
    np.testing.assert_allclose(decisions, expected if classes > 2 else -expected[:, None], atol=1e-4)
    ours = found.scores(part.numbers, 1)
    assert (ours.argmax(axis=1) == machine.predict(table)).all()
    assert found.mistakes(part, 1) == (ours.argmax(axis=1) != part.classes).sum() < 40


@pytest.mark.parametrize("seed", range(5))
def test_equal_votes_go_to_the_first_class_as_in_libsvm(seed: int) -> None:
    svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is not installed")
    part = problem(5, seed)
    part = part._replace(classes=np.random.default_rng(seed).permutation(part.classes))  # nothing to be learnt
    (found,) = xa.Svm(coefficient=0.3, gamma=0.5, cost=10, tolerance=0.01).fit([part], 1)
    machine = svm.SVC(C=10, kernel="poly", degree=2, gamma=0.5, coef0=0.3, tol=0.01)
    asked = np.random.default_rng(seed + 1).integers(0, 5, (2000, 6)).astype(np.uint32)
    predicted = machine.fit(ensemble.one_hot(part.numbers, part.sizes), part.classes).predict(
        ensemble.one_hot(asked, part.sizes)
    )
    votes = found.scores(asked, 1)
    assert ((votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1).any()  # there are ties
    assert (votes.argmax(axis=1) == predicted).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("classes", [2, 4])
def test_linear_machines_score_as_liblinear_does(classes: int, method: str) -> None:
    svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is not installed")
    part = problem(classes)
    (found,) = xa.LinearSvm(method=method).fit([part], 1)
    table = ensemble.one_hot(part.numbers, part.sizes)
    name = "crammer_singer" if method == "crammer-singer" else "ovr"
    given: dict[str, Any] = {"dual": True, "fit_intercept": False, "random_state": 0}
    machine = svm.LinearSVC(C=0.1, tol=0.1, multi_class=name, **given).fit(table, part.classes)
    expected = machine.decision_function(table)
    ours = found.scores(part.numbers, 1)
    difference = ours[:, 1] - ours[:, 0] if classes == 2 else ours
    np.testing.assert_allclose(difference, 2 * expected if classes == 2 else expected, atol=1e-5)


def test_values_of_templates_are_numbered() -> None:
    treebank = xa.sample(60, seed=3)
    templates = ["s0.upos", "s0.upos+b0.upos", "s0.feats:*", "distance(s0,b0)", "b0.feats:Nothing"]
    columns = Vocabularies.fit(treebank, ["upos", "feats:*"], features=3)
    batch = Lockstep(systems.get("arc-eager"), templates, columns)
    batch.start(treebank.word_offsets, columns.values(treebank))
    for _ in range(3):
        batch.apply(batch.legal().argmax(axis=1))
    table = batch.features()
    atoms = TemplateAtoms.from_templates(templates, batch.atoms, columns.names)
    assert [len(members) for members in atoms.members] == [1, 2, 1, 1, 1, 1]  # three features, and none for Nothing
    for with_nothing in (False, True):
        values = TemplateValues.fit(atoms, table, with_nothing=with_nothing)
        numbers = values.numbers(table)
        for template, members in enumerate(atoms.members):
            found = {tuple(row) for row in np.column_stack([numbers[:, template], table[:, members]]).tolist()}
            assert len(found) == len({row[1:] for row in found})  # one number for a value
            silent = {row[0] for row in found if not any(row[1:])} if 2 <= template < 5 else set()
            assert silent == (set() if not silent else {0} if not with_nothing else silent - {0})
        assert (numbers < values.sizes).all()
        rare = TemplateValues.fit(atoms, table, least=2, with_nothing=with_nothing)
        assert ((rare.numbers(table) == 0).sum(axis=0) >= (numbers == 0).sum(axis=0)).all()
        unseen = table + 1000
        assert not values.numbers(unseen)[:, [0, 1]].any()
        again = TemplateValues.from_arrays(atoms, "x", values.arrays("x"), with_nothing)
        np.testing.assert_array_equal(again.numbers(table), numbers)


def test_classes_are_numbered_by_frequency() -> None:
    pairs = np.array([[1, 0], [0, -1], [1, 0], [1, 2], [0, -1], [1, 0]], np.int32)
    classes, numbers = frequent_first(pairs)
    assert classes.tolist() == [[1, 0], [0, -1], [1, 2]]
    assert numbers.tolist() == [0, 1, 0, 2, 1, 0]


CASES = [("arc-eager", SVM), ("arc-eager", LINEAR), ("arc-standard", MEMORY)]
MORE_CASES = [
    ("2-planar", replace(SVM, labels="separate", label_templates=LABELS)),
    ("undirected-covington", replace(LINEAR, method="one-vs-rest", split=None)),
    ("undirected-2-planar", replace(MEMORY, labels="separate", label_templates=LABELS, split="b0.upos")),
    ("planar", replace(MEMORY, weights="gain-ratio", metric="overlap", votes="equal")),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "scorer"),
    [
        *(pytest.param(*case, id=f"{case[0]}-{case[1].name}") for case in CASES),
        *(pytest.param(*case, id=f"{case[0]}-{case[1].name}", marks=pytest.mark.exhaustive) for case in MORE_CASES),
    ],
)
def test_they_learn_parse_and_come_back(
    system: str, scorer: Any, train: xa.Treebank, dev: xa.Treebank, tmp_path: Path
) -> None:
    if scorer.name != "memory":
        pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    parser = xa.TransitionParser(system, scorer=scorer)
    report = parser.train(train, dev=dev, checkpoint=tmp_path / "checkpoint")
    assert len(report.epochs) == 1
    parsed = parser.parse(dev)
    assert report.las == pytest.approx(las(dev, parsed))
    assert las(dev, parsed) > max(0.5, baseline(dev) + 0.1)
    parser.save(tmp_path / "m.crossarc")
    again = xa.load(tmp_path / "m.crossarc")
    assert again.parse(dev).to_bytes() == parsed.to_bytes()
    assert again.parse(dev, threads=1).to_bytes() == parsed.to_bytes()
    assert isinstance(again, xa.TrainableParser) and again.scorer == scorer
    assert again.info()["options"]["labels"] == scorer.labels
    resumed = xa.TransitionParser(system, scorer=scorer)
    resumed.train(train, dev=dev, checkpoint=tmp_path / "checkpoint", resume=True, threads=1)
    resumed.save(tmp_path / "resumed")
    other = xa.TransitionParser(system, scorer=scorer)
    other.train(train, dev=dev, threads=1)
    other.save(tmp_path / "other")
    for name in ("resumed", "other"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "m.crossarc").read_bytes()


def test_joint_classes_and_separate_ones_both_label(train: xa.Treebank, dev: xa.Treebank) -> None:
    """Where a transition has many labels, both choose more than the most frequent one."""
    for scorer in (MEMORY, replace(MEMORY, labels="separate", label_templates=LABELS)):
        parser = xa.TransitionParser("arc-eager", scorer=scorer)
        parser.train(train)
        assert len(parser.parse(dev).inventory("deprel")) > 10


@pytest.mark.slow
def test_models_are_used_without_scikit_learn(train: xa.Treebank, dev: xa.Treebank, tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    for scorer in (SVM, LINEAR):
        parser = xa.TransitionParser("arc-eager", scorer=scorer)
        parser.train(train)
        parser.save(tmp_path / f"{scorer.name}.crossarc")
        (tmp_path / f"{scorer.name}.conllu").write_text(parser.parse(dev).to_text())
    xa.write(dev, tmp_path / "dev.conllu")
    program = """
import sys
for name in ("sklearn", "scipy", "joblib"):
    sys.modules[name] = None
import crossarc as xa
for name in ("svm", "linear-svm"):
    parsed = xa.load(f"{name}.crossarc").parse(xa.read("dev.conllu")).to_text()
    assert parsed == open(f"{name}.conllu").read()
"""
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)


@pytest.mark.parametrize("name", ["svm", "linear-svm"])
def test_what_is_not_installed_is_named(name: str, train: xa.Treebank, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ensemble, "find_spec", lambda name: None)
    parser = xa.TransitionParser("arc-eager", scorer=name)
    with pytest.raises(ParserError, match=r"svm is trained by scikit-learn.* pip install 'crossarc\[svm\]'"):
        parser.train(train)


@pytest.mark.parametrize("kind", [xa.Svm, xa.LinearSvm, xa.MemoryBased])
def test_what_cannot_be_is_refused(kind: Any, train: xa.Treebank) -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"labels": "both"}, "labels is one of joint, separate, not 'both'"),
        ({"label_templates": LABELS}, "label_templates are for separate labels"),
        ({"split": "b0.upos+s0.upos"}, "split is one attribute of one word, as in b0.upos"),
        ({"split": "b0.feats:*"}, "split is one attribute"),
        ({"split": 3}, "split is a text"),
        ({"split_least": 0}, "split_least is a whole number from 1"),
        ({"templates": ("s0.colour",)}, "no step and no attribute 'colour'"),
    ]
    for options, message in refused:
        with pytest.raises(xa.CrossarcError, match=message):
            kind(**options)
    numbers = [each.name for each in fields(kind) if isinstance(each.metadata["check"], Bounds)]
    assert len(numbers) == {xa.Svm: 7, xa.LinearSvm: 4, xa.MemoryBased: 3}[kind]
    for name in numbers:
        for value in (-1, float("nan"), "many"):
            with pytest.raises(OptionError, match=f"^{name} is "):
                kind(**{name: value})
    with pytest.raises(ParserError, match=f"no option 'depth' of the scorer {kind.name}: its options are templates"):
        kind.from_dict({"depth": 3})
    with pytest.raises(ParserError, match="parses greedily: there is no beam but 1"):
        xa.TransitionParser("arc-eager", scorer=kind(), beam=4).train(train)
    with pytest.raises(ParserError, match="learns in one pass over the training data: leave out the epochs"):
        xa.TransitionParser("arc-eager", scorer=kind()).train(train, epochs=2)
    with pytest.raises(ParserError, match="chooses among transitions, easy-first among positions too"):
        xa.TransitionParser("easy-first", scorer=kind()).train(train)
    if kind is not xa.MemoryBased:  # to have no feature is a value like others there
        with pytest.raises(ParserError, match="no template has a value in the training data"):
            xa.TransitionParser("arc-eager", scorer=kind(("s0.feats:Nothing",))).train(train)


def test_choices_of_words_are_refused() -> None:
    with pytest.raises(ParserError, match="method is one of crammer-singer, one-vs-rest, not 'pairs'"):
        xa.LinearSvm(method="pairs")
    for name in ("metric", "weights", "votes"):
        wrong: dict[str, Any] = {name: "x"}
        with pytest.raises(ParserError, match=f"^{name} is one of .*, not 'x'"):
            xa.MemoryBased(**wrong)


def test_greedy_parsers_keep_no_scores_and_are_not_compressed(train: xa.Treebank, dev: xa.Treebank) -> None:
    parser = xa.TransitionParser("arc-eager", scorer=MEMORY)
    parser.train(train)
    with pytest.raises(ParserError, match="memory parses greedily"):
        parser.parse_nbest(dev, 2)
    with pytest.raises(ParserError, match="models of the scorer memory cannot be made smaller"):
        parser.compress("nowhere.crossarc")


@pytest.mark.slow
def test_altered_arrays_of_machines_are_refused_or_parse(train: xa.Treebank, tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    path, few = tmp_path / "m.crossarc", xa.sample(3, seed=4)
    refused = 0
    for scorer in (SVM, LINEAR):
        parser = xa.TransitionParser("arc-eager", scorer=replace(scorer, templates=TEMPLATES[:3]))
        parser.train(train[:30])
        parser.save(path)
        whole = read_model_file(path)
        for number in range(60):
            write_model_file(path, ModelFile(whole.description, altered_arrays(random.Random(number), whole.arrays)))
            try:
                parsed = xa.load(path).parse(few)
            except xa.FileError as error:
                refused += 1
                assert len(str(error).splitlines()) == 1
                continue
            assert (parsed.head >= 0).all()
    assert 20 < refused < 120


@pytest.mark.slow
def test_the_commands_train_show_and_parse(train: xa.Treebank, tmp_path: Path) -> None:
    xa.write(train[:60], tmp_path / "train.conllu")
    (tmp_path / "few.txt").write_text("\n".join(TEMPLATES))
    given = "train train.conllu --system arc-eager --scorer memory --features few.txt --option nearest=3 -o m.crossarc"
    run = crossarc(*given.split(), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    shown = crossarc("info", "m.crossarc", cwd=tmp_path).stdout
    assert re.search(r"^scorer +memory$", shown, re.M)
    assert "nearest 3" in shown
    assert crossarc("parse", "m.crossarc", "train.conllu", cwd=tmp_path).returncode == 0
    features = crossarc("features", "2-planar", "--scorer", "svm", cwd=tmp_path).stdout
    assert features.startswith("[transitions]\ns0.upos\n")
    assert "t0.upos\n" in features
    assert "[labels]" not in features
    refused = crossarc(*given.replace("nearest", "nearst").split(), cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "no option 'nearst' of the scorer memory" in refused.stderr


# Perceptrons


@pytest.mark.parametrize("system", ["arc-eager", "2-planar", "attardi-2", "undirected-covington"])
def test_perceptrons_learn_joint_labels(system: str, train: xa.Treebank, dev: xa.Treebank, tmp_path: Path) -> None:
    parser = xa.TransitionParser(system, scorer=xa.Perceptron(labels="joint"))
    parser.train(train, epochs=3)
    parsed = parser.parse(dev)
    assert las(dev, parsed) > baseline(dev) + 0.1
    assert len(parsed.inventory("deprel")) > 10
    parser.save(tmp_path / "m.crossarc")
    again = xa.load(tmp_path / "m.crossarc")
    assert again.parse(dev).to_bytes() == parsed.to_bytes()
    assert isinstance(again, xa.TrainableParser) and isinstance(again.scorer, xa.Perceptron)
    assert again.scorer.labels == "joint"
    assert again.info()["options"]["labels"] == "joint"
    scored = again.parse_scored(dev, beam=1).treebank
    assert scored.to_bytes() == parsed.to_bytes()  # a beam of one is the greedy parser
    assert (again.parse(dev, beam=8).head >= 0).all()


def test_a_joint_class_is_a_transition_with_a_label() -> None:
    """Two labels that no template of transitions tells apart by the transition alone are learnt as classes of it."""
    rows = [
        "1\ta\t_\tX\t_\t_\t2\tone\t_\t_\n2\tb\t_\tV\t_\t_\t0\troot\t_\t_\n\n",
        "1\tc\t_\tX\t_\t_\t2\ttwo\t_\t_\n2\tb\t_\tV\t_\t_\t0\troot\t_\t_\n\n",
    ]
    treebank = xa.from_text("".join(rows * 5))
    for form, enough in (("s0.form", True), ("s0.upos", False)):
        scorer = xa.Perceptron((form, "b0.upos"), labels="joint", exploration=0)
        parser = xa.TransitionParser("arc-eager", scorer=scorer)
        parser.train(treebank, epochs=5)
        assert (parser.parse(treebank).texts("deprel") == treebank.texts("deprel")) is enough


def test_joint_perceptrons_refuse_what_they_cannot(train: xa.Treebank) -> None:
    with pytest.raises(ParserError, match="learn joint labels greedily: there is no beam but 1"):
        xa.TransitionParser("arc-eager", scorer=xa.Perceptron(labels="joint"), beam=4).train(train, epochs=1)
    with pytest.raises(ParserError, match="easy-first chooses positions: labels are learnt separately"):
        xa.TransitionParser("easy-first", scorer=xa.Perceptron(labels="joint")).train(train, epochs=1)
    with pytest.raises(ParserError, match="label_templates are for separate labels"):
        xa.Perceptron(label_templates=LABELS, labels="joint")
