"""The feature models of the papers: what they hold, that they can be read, and that they fit their systems."""

from __future__ import annotations

from pathlib import Path

import pytest

import crossarc as xa
from crossarc.features import FeatureModel, compile_templates, feature_models, read_templates
from crossarc.features.templates import parse_template, word_attributes
from crossarc.parsers import Perceptron, TransitionParser
from crossarc.transitions import systems

MODELS = feature_models()
#: MaltParser's models by its own names for words and columns, for LIBSVM.
MALT_EAGER = """
    XPOSTAG Stack[0] | XPOSTAG Input[0] | XPOSTAG Input[1] | XPOSTAG Input[2] | XPOSTAG Input[3] | XPOSTAG Stack[1] |
    DEPREL Stack[0] | DEPREL ldep(Stack[0]) | DEPREL rdep(Stack[0]) | DEPREL ldep(Input[0]) |
    FORM Stack[0] | FORM Input[0] | FORM Input[1] | FORM head(Stack[0])
"""
WORDS = {"Stack[0]": "s0", "Stack[1]": "s1", **{f"Input[{number}]": f"b{number}" for number in range(4)}}
STEPS = {"ldep": "l1", "rdep": "r1", "head": "h"}
COLUMNS = {"XPOSTAG": "xpos", "DEPREL": "deprel", "FORM": "form"}


def in_our_words(feature: str) -> str:
    """Turn `DEPREL ldep(Stack[0])` into `s0.l1.deprel`."""
    column, address = feature.split()
    step, _, inner = address.rpartition("(")
    word = WORDS[inner.rstrip(")")]
    return ".".join([word, *([STEPS[step]] if step else []), COLUMNS[column]])


def test_table_2_of_the_2005_paper() -> None:
    """Six words: forms of four, parts of speech of all, labels of arcs to and from the top, and from the next word."""
    words = ["s1", "s0", "b0", "b1", "b2", "b3"]
    transitions, labels = read_templates("nivre-nilsson-2005")
    assert transitions == labels
    assert transitions == [
        *(f"{word}.form" for word in words[:4]),
        *(f"{word}.xpos" for word in words),
        *("s0.deprel", "s0.l1.deprel", "b0.l1.deprel", "s0.r1.deprel"),
    ]


def test_malt_parsers_model_for_arc_eager() -> None:
    assert read_templates("malt-arc-eager")[0] == [in_our_words(one) for one in MALT_EAGER.split("|")]


def test_the_base_model_of_2006_has_twenty_features() -> None:
    templates = read_templates("conllx-arc-eager")[0]
    assert len(templates) == len(set(templates)) == 20
    assert set(read_templates("malt-arc-eager")[0]) < set(templates)


@pytest.mark.parametrize("family", ["conllx", "malt"])
def test_planar_models_add_the_arc_and_2_planar_models_the_second_stack(family: str) -> None:
    eager, planar, two_planar = (read_templates(f"{family}-{name}")[0] for name in ("arc-eager", "planar", "2-planar"))
    assert planar == [*eager, "b0.h.xpos", "link(s0,b0)"]
    assert two_planar == [*planar, "t0.xpos", "t1.xpos"]


@pytest.mark.parametrize("name", MODELS)
def test_models_fit_their_systems(name: str) -> None:
    model = MODELS[name]
    system = systems.get(model.system)
    for templates in read_templates(name):
        assert len(set(templates)) == len(templates)
        for atom in (atom for text in templates for atom in parse_template(text)):
            for address in filter(None, (atom.address, atom.other)):
                assert address.base != "t" or system.stacks > 1
                assert address.base != "a" or system.has_lists
                assert not system.is_undirected or "h" not in address.steps  # links have no heads
                assert not system.is_undirected or atom.attribute != "deprel" or address.steps
        attributes = word_attributes(templates)
        assert len(compile_templates(templates, attributes).templates) == len(templates)
        assert system.stacks == 1 or any("t0" in text for text in templates)
        assert not system.has_lists or any("a0" in text for text in templates)


@pytest.mark.parametrize("name", [name for name in MODELS if name.endswith("-linear")])
def test_a_perceptron_learns_with_them(name: str) -> None:
    model = MODELS[name]
    parser = TransitionParser(model.system, scorer=Perceptron.from_dict({"templates_file": name}))
    parser.train(xa.sample(60, seed=1), epochs=2)
    gold = xa.sample(20, seed=2)
    assert xa.evaluate(gold, parser.parse(gold)).las > 0.3


def test_a_name_stands_for_its_file_unless_there_is_a_file_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_templates("malt-planar") == read_templates(MODELS["malt-planar"].path)
    (tmp_path / "malt-planar").write_text("s0.form\n[labels]\nb0.form\n")
    assert read_templates("malt-planar") == (["s0.form"], ["b0.form"])
    with pytest.raises(xa.FileError, match="malt-plane"):
        read_templates("malt-plane")


def test_every_model_says_what_it_is() -> None:
    papers = ("Nivre", "Gómez-Rodríguez", "MaltParser")
    assert all(isinstance(model, FeatureModel) and model.about.startswith(papers) for model in MODELS.values())
