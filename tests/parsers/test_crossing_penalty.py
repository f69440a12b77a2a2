"""The crossing penalty of transition parsers: what loses, in every search, with every scorer, and how it is chosen."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc._arrays import Ids
from crossarc.encodings import Encoding
from crossarc.features import Vocabularies
from crossarc.models.base import Scorer
from crossarc.models.lockstep import Lockstep
from crossarc.parsers.punctuation import keeps_punctuation_projective, misplaced_punctuation
from crossarc.parsers.transition.crossing_penalty import AMOUNTS, best_penalty, unit_of_scores
from crossarc.parsers.transition.restoring import TransitionTrained
from crossarc.training.report import DevScores
from crossarc.transitions.algebra import systems
from crossarc.transitions.running import NO_LABEL

from ..support import naive_structure as naive
from ..support.commands import crossarc
from ..support.parsers import SMALL

#: Systems and encodings whose arcs may cross.
CROSSING: dict[str, tuple[str, Encoding | None]] = {
    "swap": ("swap", None),
    "2-planar": ("2-planar", None),
    "undirected-2-planar": ("undirected-2-planar", None),
    "covington": ("covington", None),
    "attardi-2": ("attardi-2", None),
    "head": ("arc-eager", xa.PseudoProjective("head")),
    "head+path, undirected": ("undirected-planar", xa.Undirected("label").after(xa.PseudoProjective("head+path"))),
}
SCORERS: dict[str, Scorer] = {
    "network": SMALL,
    "perceptron": xa.Perceptron(),
    "free planes": xa.Perceptron(planes="free"),
    "joint": xa.Perceptron(labels="joint"),
    "memory": xa.MemoryBased(),
}
LARGE = 1e8


@cache
def train() -> xa.Treebank:
    return xa.sample(60, seed=1)


@cache
def dev() -> xa.Treebank:
    return xa.sample(60, seed=2)


@cache
def trained(name: str, scorer: str = "perceptron") -> bytes:
    system, encoding = CROSSING[name]
    parser = xa.TransitionParser(system, encoding=encoding, scorer=SCORERS[scorer], crossing_penalty=0.0, root="any")
    parser.train(train(), epochs=None if scorer == "memory" else 5)
    return pickle.dumps(parser)


def parser_of(name: str, scorer: str = "perceptron") -> xa.TransitionParser:
    parser: xa.TransitionParser = pickle.loads(trained(name, scorer))
    return parser


def crossings(parsed: xa.Treebank) -> int:
    return int(xa.classify(parsed).crossings.sum())


def most_crossings(parser: xa.TransitionParser, beam: int = 1) -> int:
    """Return how many arcs cross where that pays more and more."""
    assert isinstance(parser.trained, TransitionTrained)
    unit = unit_of_scores(parser.trained.definition, parser.trained.model, dev())
    found = []
    for step in (0.0, -1.0, -3.0, -9.0):
        parser.crossing_penalty = step * unit
        found.append(crossings(parser.parse(train(), beam=beam)))
    return max(found)


@pytest.mark.parametrize("name", CROSSING)
def test_nothing_crosses_where_it_costs_too_much_in_any_search(name: str) -> None:
    parser = parser_of(name, "free planes" if name == "2-planar" else "perceptron")
    before = parser.parse(train())
    for beam in (1, 4):
        assert most_crossings(parser, beam=beam) > 0
        parser.crossing_penalty = LARGE
        assert crossings(parser.parse(train(), beam=beam)) == 0
    best = parser.parse_nbest(train(), 2)
    assert crossings(best.treebank[best.offsets[:-1]]) == 0
    parser.crossing_penalty = 0.0
    assert parser.parse(train()).to_bytes() == before.to_bytes()


@pytest.mark.parametrize("scorer", ["network", "joint", "memory"])
@pytest.mark.parametrize("name", ["covington", "head"])
def test_every_scorer_has_it(name: str, scorer: str) -> None:
    parser = parser_of(name, scorer)
    assert most_crossings(parser) > 0
    parser.crossing_penalty = LARGE
    assert crossings(parser.parse(train())) == 0


def test_what_loses_in_a_trace() -> None:
    parser = parser_of("swap", "network")
    sentence = next(dev()[index : index + 1] for index in range(len(dev())) if not dev()[index].tree.is_projective)
    before = parser.trace(sentence)
    names = [list(parser.system.transitions)[number] for number in before.transitions.tolist()]
    parser.crossing_penalty = 0.75
    after = parser.trace(sentence, names)
    lost = np.array([0.75 if name == "swap" else 0.0 for name in parser.system.transitions])
    np.testing.assert_allclose(before.scores - lost, after.scores, atol=1e-5)


@pytest.mark.parametrize("name", ["covington", "undirected-covington", "2-planar", "undirected-3-planar"])
@pytest.mark.parametrize("root", ["none", "first", "last"])
def test_arcs_lose_where_they_cross_by_the_definition(name: str, root: str) -> None:
    system = systems.get(name)
    generator = np.random.default_rng(1)
    batch = Lockstep(system, ["s0.upos"], Vocabularies({"upos": ["X"]}), root=root, threads=1)
    batch.start(np.arange(0, 7 * 301, 7), np.zeros((7 * 300, 1)))
    adds_arc = np.array([one.arcs > 0 for one in system.transitions.values()])
    seen = np.zeros(2, int)
    while not batch.finished():
        rows, legal, crossing = batch.unfinished(), batch.legal(), batch.crossing()
        assert not (crossing & ~(legal & adds_arc)).any()
        chances = np.where(legal, generator.random(legal.shape), -1.0)
        actions = chances.argmax(axis=1).astype(np.int32)
        expected = crossing[np.arange(len(rows)), actions]
        batch.apply(actions, np.where(adds_arc[actions], 0, NO_LABEL))
        arcs = batch.arcs()
        for row, action, crosses in zip(rows.tolist(), actions.tolist(), expected.tolist(), strict=True):
            if adds_arc[action]:
                own = slice(int(arcs.offsets[row]), int(arcs.offsets[row + 1]))
                built = list(zip(_places(arcs.heads[own], root), arcs.dependents[own].tolist(), strict=True))
                assert crosses == any(naive.cross(built[-1], other) for other in built[:-1])
                seen[int(crosses)] += 1
    assert (seen > 2).all()


def _places(heads: Ids, root: str) -> list[int]:
    """Heads as places in the order of reading: an artificial root may stand last."""
    return [8 if head == 0 and root == "last" else head for head in heads.tolist()]


def test_files_keep_it(tmp_path: Path) -> None:
    parser = parser_of("2-planar")
    parser.crossing_penalty = 40.0
    parser.crossing_punctuation = False
    parser.save(tmp_path / "m.crossarc")
    again = xa.load(tmp_path / "m.crossarc")
    assert isinstance(again, xa.TransitionParser)
    assert (again.crossing_penalty, again.crossing_punctuation) == (40.0, False)
    assert (again.info()["crossing_penalty"], again.info()["crossing_punctuation"]) == (40.0, False)
    assert again.parse(dev()).to_bytes() == parser.parse(dev()).to_bytes()
    file = parser.model_file()
    older = {name: value for name, value in file.description.items() if not name.startswith("crossing")}
    from_older = xa.TransitionParser.from_model_file(xa.models.ModelFile(older, file.arrays))
    assert isinstance(from_older, xa.TransitionParser)
    assert (from_older.crossing_penalty, from_older.crossing_punctuation) == (0.0, True)
    with pytest.raises(xa.models.ModelFileError, match="crossing_penalty"):
        xa.TransitionParser.from_model_file(
            xa.models.ModelFile({**file.description, "crossing_penalty": "much"}, file.arrays)
        )


def test_the_penalty_is_the_best_for_nonprojective_arcs_that_costs_no_attachment_score() -> None:
    def chosen(**tried: tuple[float, float]) -> float:
        """Return the penalty of 0, 1, 2 … units of 2 with these F and LAS; what is not said is like 0."""
        scores = {2.0 * AMOUNTS[int(name[1:])]: pair for name, pair in tried.items()}

        def evaluate(amount: float) -> DevScores:
            strict_f, las = scores.get(amount, (0.5, 0.8))
            return DevScores(las, las, strict_f=strict_f)

        best, found = best_penalty(evaluate, 2.0)
        assert found == evaluate(best)
        return best / 2.0

    assert chosen() == 0.0
    assert chosen(_2=(0.6, 0.8), _3=(0.55, 0.9)) == AMOUNTS[2]
    # LAS may be lower by 0.05 and no more.
    assert chosen(_2=(0.6, 0.7994), _3=(0.55, 0.7996)) == AMOUNTS[3]
    # Of equals the better attachment score, then the smaller penalty.
    assert chosen(_1=(0.6, 0.8), _2=(0.6, 0.81), _3=(0.6, 0.81)) == AMOUNTS[2]


def test_it_is_chosen_on_development_data() -> None:
    def learnt(held: xa.Treebank | None, penalty: float | str = "auto") -> tuple[xa.TransitionParser, float | None]:
        parser = xa.TransitionParser("2-planar", scorer="perceptron", crossing_penalty=penalty)
        return parser, parser.train(train(), dev=held, epochs=2).las

    parser, las = learnt(dev())
    without, without_las = learnt(dev(), 0.0)
    assert without.crossing_penalty == 0.0
    assert isinstance(parser.crossing_penalty, float) and parser.crossing_penalty >= 0
    chosen, plain = (strict_f(one.parse(dev())) for one in (parser, without))
    assert chosen >= plain
    assert las is not None and without_las is not None and las >= without_las - 0.0005
    assert las == pytest.approx(xa.evaluate(dev(), parser.parse(dev())).las)
    assert learnt(None)[0].crossing_penalty == 0.0
    few = dev()[np.flatnonzero(~xa.classify(dev()).nonprojective)]
    assert learnt(few)[0].crossing_penalty == 0.0


def strict_f(parsed: xa.Treebank) -> float:
    return xa.evaluate(dev(), parsed).scores.strict.unlabelled.f1


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(xa.ParserError, match="no transition of arc-eager lets arcs cross"):
        xa.TransitionParser("arc-eager", crossing_penalty=1.0).train(train(), epochs=1)
    with pytest.raises(xa.ParserError, match="a number, or \"auto\", not 'much'"):
        xa.TransitionParser("swap", crossing_penalty="much")
    with pytest.raises(xa.CrossarcError, match="crossing_penalty"):
        xa.TransitionParser("swap", crossing_penalty=float("nan"))
    with pytest.raises(xa.ParserError, match="True, False or \"auto\", not 'some'"):
        xa.TransitionParser("swap", crossing_punctuation="some")
    parser = parser_of("swap")
    with pytest.raises(xa.ParserError, match="chosen in training"):
        parser.crossing_penalty = "auto"
    with pytest.raises(xa.ParserError, match="learnt in training"):
        parser.crossing_punctuation = "auto"


def test_the_commands_have_it(tmp_path: Path) -> None:
    xa.write(train(), tmp_path / "train.conllu")
    given = "train train.conllu --system swap --scorer perceptron --epochs 2 --root any --no-crossing-punctuation"
    run = crossarc(*given.split(), "--crossing-penalty", "1e8", "-o", "m.crossarc", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    info = crossarc("info", "m.crossarc", "--json", cwd=tmp_path).stdout
    assert '"crossing_penalty": 100000000.0' in info and '"crossing_punctuation": false' in info
    projective, free = (
        crossarc("parse", "m.crossarc", "train.conllu", *more, cwd=tmp_path).stdout
        for more in ((), ("--crossing-penalty", "-1000"))
    )
    assert crossings(xa.from_text(projective)) == 0 < crossings(xa.from_text(free))
    wrong = crossarc("train", "train.conllu", "--crossing-penalty", "much", "-o", "n.crossarc", cwd=tmp_path)
    assert wrong.returncode == 2 and "the crossing penalty is a number" in wrong.stderr


def test_punctuation_is_as_in_the_training_data() -> None:
    def learnt(crossing: bool | str = "auto") -> xa.TransitionParser:
        parser = xa.TransitionParser(
            "covington", scorer="perceptron", crossing_penalty=0.0, crossing_punctuation=crossing
        )
        parser.train(train(), epochs=1)
        return parser

    def misplaced(parser: xa.TransitionParser) -> int:
        return len(misplaced_punctuation(dev(), parser.parse(dev()).head, tags=True))

    assert keeps_punctuation_projective(train(), tags=True)
    kept, free = learnt(), learnt(True)
    assert (kept.crossing_punctuation, free.crossing_punctuation) == (False, True)
    assert misplaced(kept) == 0 < misplaced(free)
    kept.crossing_punctuation = True
    assert kept.parse(dev()).to_bytes() == free.parse(dev()).to_bytes()
