"""One adviser: what `analyze` recommends is what `train --system auto` takes, and the reason says what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

import crossarc as xa
from crossarc.parsers import advice
from crossarc.parsers.advice import Choice, GraphChoice, candidates, choose, choose_parser, recommend
from crossarc.parsers.graph.trees import fitting_class
from crossarc.parsers.measured import CLASSES_ON_DEV, GRAPH_PARSERS, TRANSITION_PARSERS, MeasuredClasses
from crossarc.structure import Coverage, coverage

PROJECTIVE, CROSSING, COVERED_ROOT = [2, 0, 2], [3, 4, 0, 3], [3, 0, 2]
FOUR_PLANES = [5, 6, 7, 8, 0, 5, 5, 5]


def treebank(*trees: list[int]) -> xa.Treebank:
    sentences = (
        "".join(f"{word}\tw\t_\t_\t_\t_\t{head}\tr{head}\t_\t_\n" for word, head in enumerate(tree, start=1))
        for tree in trees
    )
    return xa.from_text("\n".join(sentences) + "\n", format="conllx")


def assert_analyze_and_train_agree(source: xa.Treebank, system: str, encoding: str | None) -> None:
    found, chosen = xa.analyze(source), choose(source)
    assert found.recommendation.choice == chosen
    assert (chosen.system, None if chosen.encoding is None else chosen.encoding.scheme) == (system, encoding)
    data = found.to_dict()["total"]["recommendation"]
    assert (data["system"], data["encoding"], data["reason"]) == (system, encoding, chosen.reason)
    point = f"Use {chosen.name}, which crossarc train takes by itself: {chosen.reason}."
    assert data["verdict"].startswith(point)
    assert point in " ".join(found.to_text().replace("• ", "").split())
    assert f"Use {chosen.name}, which" in found.to_html()
    assert data["alternative"] == chosen.alternative
    assert f"{chosen.alternative}." in data["verdict"]


def test_the_sample() -> None:
    assert_analyze_and_train_agree(xa.sample(1000), "covington", None)


@pytest.mark.parametrize(
    ("name", "system", "encoding"),
    [("la_circse", "covington", None), ("nl_lassysmall", "covington", None), ("en_ewt", "arc-eager", "head")],
)
def test_treebanks(treebanks: Path, name: str, system: str, encoding: str | None) -> None:
    (file,) = (path for path in (treebanks / name).iterdir() if "train" in path.name)
    assert_analyze_and_train_agree(xa.read(file, root="any"), system, encoding)


@pytest.mark.parametrize(
    ("trees", "names", "words"),
    [
        ([PROJECTIVE], ["arc-eager", "arc-hybrid"], "every sentence is projective"),
        ([CROSSING], ["covington", "2-planar", "arc-eager with the encoding head", "swap"], "25.00 % of the arcs"),
        (
            [PROJECTIVE] * 199 + [COVERED_ROOT],
            ["arc-eager with the encoding head", "2-planar", "covington", "swap"],
            "0.17 % of the arcs are non-projective; it takes every sentence in linear time",
        ),
    ],
)
def test_candidates(trees: list[list[int]], names: list[str], words: str) -> None:
    found = candidates(coverage(treebank(*trees)))
    assert [choice.name for choice in found] == names
    assert words in found[0].reason


def test_the_choice_is_that_of_the_measurements() -> None:
    """Where systems differ by more than a point the first choice has the best score, and it quotes the scores."""
    for measured in TRANSITION_PARSERS:
        arcs = 100_000
        counts = Coverage(sentences=1, words=arcs, nonprojective_arcs=round(arcs * measured.nonprojective))
        (chosen, *_) = candidates(counts)
        assert measured.las[chosen.name] > max(measured.las.values()) - 0.01
        assert measured.treebank in chosen.reason
        for name, las in measured.las.items():
            assert f"{name} {100 * las:.2f}" in chosen.reason


def test_graph_parsers_are_chosen_by_what_was_measured() -> None:
    """The class costs nothing beyond chance where it was measured, by the share of sentences that it covers there."""
    covered = [0.9990, 0.9979, 0.9911, 0.9518, 0.9482, 0.7664, 0.6723]
    for measured, share in zip(GRAPH_PARSERS, covered, strict=True):
        trees = fitting_class(10_000, 5000, round(10_000 * share))
        best = max(measured.unrestricted, measured.one_endpoint_crossing, measured.projective)
        assert measured.las(trees) == pytest.approx(best, abs=0.0004)


def test_the_scores_of_graph_parsers_are_those_of_the_guide() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "graph-parsing.md").read_text()
    rows = [row.strip("| ").split(" | ") for row in guide.split("| best transition parser |\n")[1].splitlines()[1:]]
    table = {row[0]: [round(float(cell) / 100, 4) for cell in row[2:]] for row in rows[: len(GRAPH_PARSERS)]}
    assert {one.treebank: [*one[2:]] for one in GRAPH_PARSERS} == table


def test_auto_takes_a_graph_parser_unless_training_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    bank = xa.sample(200)
    chosen = choose_parser(bank)
    assert isinstance(chosen, GraphChoice)
    assert chosen.trees == "1-endpoint-crossing" and chosen.name == "graph parser of 1-endpoint-crossing trees"
    like = next(one for one in GRAPH_PARSERS if one.treebank == "Middle Polish MPDT")
    scores = f"graph parser {100 * like.one_endpoint_crossing:.2f}, best transition parser {100 * like.transitions:.2f}"
    assert f"of {len(GRAPH_PARSERS)} treebanks (LAS on Middle Polish MPDT, 2.69 %: {scores})" in chosen.reason
    monkeypatch.setattr(advice, "_MOST_NATIVE_WORDS", bank.words - 1)
    assert choose_parser(bank, device="cuda") == chosen
    other = choose_parser(bank)
    assert isinstance(other, Choice)
    assert other.system == choose(bank).system
    long = f"training data of {bank.words:,} words take a graph parser long without --device cuda"
    assert other.reason == f"{long}; {choose(bank).reason}"
    assert choose_parser(treebank(*[CROSSING] * 9, FOUR_PLANES), device="cpu").name == "graph parser of all trees"
    assert choose_parser(treebank(PROJECTIVE), device="cpu").name == "graph parser of projective trees"


@pytest.mark.parametrize("strict_f", [0.9, 0.1])
def test_the_best_class_on_dev_is_named_by_both_measures(strict_f: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where LAS and strict F of non-projective arcs prefer different classes, the advice says so."""
    invented = MeasuredClasses("Toy", 0.5, {"unrestricted": 0.8, "projective": 0.7}, {"unrestricted": strict_f})
    invented.strict_f["projective"] = 0.5
    monkeypatch.setattr(advice, "CLASSES_ON_DEV", (*CLASSES_ON_DEV, invented))
    for measured in (*CLASSES_ON_DEV, invented):
        by_las, by_arcs = measured.best()
        assert measured.las[by_las] == max(measured.las.values())
        assert measured.strict_f[by_arcs] == max(measured.strict_f.values())
        counts = Coverage(sentences=1, words=100_000, nonprojective_arcs=round(100_000 * measured.nonprojective))
        said = candidates(counts)[0].alternative
        assert f"on dev of {measured.treebank} " in said and ("trees had the best LAS, " in said)
        assert f"{100 * measured.las[by_las]:.2f}, " in said and said.endswith(
            f", {100 * measured.strict_f[by_arcs]:.2f}"
        )
        assert (f"but {by_arcs} ones the best strict F of non-projective arcs" in said) == (by_las != by_arcs)
    assert (invented.best() == ("unrestricted", "projective")) == (strict_f < 0.5)
    assert "strict F" not in candidates(coverage(treebank(PROJECTIVE)))[0].alternative


def test_what_covers_how_much() -> None:
    counts = coverage(xa.sample(1000))
    options = recommend(counts).options
    covered = {name: option.sentences for option in options for name in option.names}
    assert covered["arc-eager"] == covered["projective (Eisner)"] == counts.projective == 750
    assert (covered["planar"], covered["2-planar"], covered["3-planar"]) == (828, 989, 1000)
    assert covered["Covington"] == covered["swap"] == covered["maximum spanning tree"] == 1000
    assert covered["1-endpoint-crossing"] == counts.one_endpoint_crossing
    assert [option.names for option in options if not option.exact] == [("pseudo-projective",)]


@pytest.mark.parametrize(
    ("trees", "words"),
    [
        ([], "no sentences"),
        ([COVERED_ROOT], "The planar system can derive every sentence"),
        ([CROSSING, PROJECTIVE], "The planar system can derive 50.00 %, the 2-planar system every sentence"),
        ([FOUR_PLANES], "the 3-planar system 0.00 %; Covington and swap can derive every sentence"),
        ([CROSSING] * 199 + [FOUR_PLANES], "the 2-planar system 99.50 %"),
    ],
)
def test_the_verdict_states_what_each_class_can_build(trees: list[list[int]], words: str) -> None:
    assert words in recommend(coverage(treebank(*trees))).verdict
