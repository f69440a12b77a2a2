"""Recipes of models: all can be read, and pretrained/treebanks.py makes their treebanks of what repositories have."""

from __future__ import annotations

import importlib
import subprocess
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from types import ModuleType

import pytest

import crossarc as xa
from crossarc.models.model_file import read_model_file
from crossarc.text import Segmenter, raw_text

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "pretrained"
MODELS = ("src/crossarc/pretrained", "models/*/*")
WORD = '<word id="{}" form="{}" lemma="{}1" postag="{}" relation="{}" head="{}"{}/>'


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


def document(*sentences: list[tuple[str, str, str, str, int]], added: str = "") -> bytes:
    """Return a file of the AGDT; `added` is the form of a word that is not in the text."""
    written = ""
    for number, words in enumerate(sentences, 1):
        rows = [
            WORD.format(index, *word, ' artificial="elliptic"' if word[0] == added else "")
            for index, word in enumerate(words, 1)
        ]
        written += f'<sentence id="{number}">{"".join(rows)}</sentence>'
    return f"<treebank>{written}</treebank>".encode()


ARMS = [
    ("arma", "arma", "n-p---na-", "A-DO_CO", 3),
    ("virum", "vir", "n-s---ma-", "OBJ_CO", 3),
    ("-que", "que", "c--------", "COORD", 4),
    ("cano", "cano", "v1spia---", "PRED", 0),
    (".", "punc", "u--------", "AuxK", 0),
]


def test_every_recipe_names_its_licence_and_its_parts(script: Callable[[str], ModuleType]) -> None:
    recipes = script("recipe")
    for name in recipes.recipe_names():
        recipe = recipes.read_recipe(name)
        assert recipe.deed.startswith("https://") and "NC" not in recipe.licences
        xa.Biaffine.from_dict(recipe.network)
        assert {entry["part"] for entry in recipe.parts} - {"older"} in (set(), {"train", "dev", "test"})
        assert not any(entry["part"] == "older" for entry in recipe.parts) or recipe.trees["folder"]


def test_what_a_recipe_needs_is_asked_for(script: Callable[[str], ModuleType]) -> None:
    """Without it another model would be made, or none after a while."""
    read, lacks = script("recipe").read_recipe, script("train").lacks
    folders = {"texts": None, "words": None, "encoders": None, "device": None, "parsers": None, "segmenters": None}

    def asked(name: str, **given: object) -> list[str]:
        chosen = Namespace(**{**folders, "segmenter_only": False, "again": [], "option": [], **given})
        return sorted(lack.partition("give --")[2].partition(",")[0].split()[0] for lack in lacks(read(name), chosen))

    assert asked("en") == ["device", "device", "texts", "texts", "texts"]
    assert asked("grc") == ["device", "encoders", "words", "words"]
    assert asked("la") == ["device", "encoders"]
    assert asked("da") == ["device"]
    assert asked("nl") == ["device", "words", "words"]
    assert asked("grc", **dict.fromkeys(folders, Path("given"))) == asked("en", again=["pages"]) == []
    assert asked("en", again=["lemmatiser"]) == ["texts"]
    assert asked("en", parsers="parsers") == ["device", "texts", "texts"]
    assert asked("en", segmenter_only=True) == ["device", "texts"]
    assert asked("grc", segmenter_only=True) == asked("da", option=["given_tags=0.0"]) == []


def first_table(card: str) -> dict[str, dict[str, float]]:
    """Return the scores of a card, by what they were measured on and by measure."""
    lines = takewhile(lambda line: line.startswith("|"), card[card.index("|  |") :].splitlines())
    head, _, *rows = (line.strip("| ").split(" | ") for line in lines)
    return {title: dict(zip(head, map(float, numbers), strict=True)) for title, *numbers in rows}


def test_cards_say_what_recipes_and_model_files_say(
    script: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every model that is here has a card, which is that of its distribution, too, and says the scores of its file."""
    recipes, distribution = script("recipe"), script("distribution")
    monkeypatch.setattr(script("wordnet"), "licence", str)  # it need not be installed; its text comes last
    here = {path.stem: path for folder in MODELS for path in REPOSITORY.glob(f"{folder}/*.crossarc")}
    assert len(here) >= 11
    for name, path in here.items():
        recipe, about = recipes.read_recipe(name), read_model_file(path).description["about"]
        written = (REPOSITORY / f"docs/models/{name}.md").read_text(encoding="utf-8")
        lines = iter(written.splitlines())
        for line in distribution.card(recipe, about, path.stat().st_size, {}, {}).splitlines():
            assert line.startswith("|") or line in lines, f"{name}: after what stands before, the card lacks {line!r}"
        table = first_table(written)
        for title, row in about["scores"].items():  # processors round otherwise
            assert table[title] == pytest.approx({key: 100 * value for key, value in row.items()}, abs=0.1)
        licence = path.with_suffix(".LICENSE") if recipe.embedded else path.parents[1] / "LICENSE"
        assert licence.read_text(encoding="utf-8").startswith(distribution.licence_text(recipe)), name
        if not recipe.embedded:
            assert (path.parents[1] / "README.md").read_text(encoding="utf-8") == written


def test_enclitics_are_parts_of_tokens(script: Callable[[str], ModuleType]) -> None:
    written = script("agdt_trees").conllu("a.xml", document(ARMS))
    assert "# text = arma virumque cano." in written
    assert "2-3\tvirumque\t" in written and "3\tque\tque1\t" in written
    assert "1\tarma\tarma1\t_\tn-p---na-\t_\t3\tOBJ_CO\t" in written
    first = [ARMS[0], ("que", "que", "c--------", "COORD", 4), ("virum", "vir", "n-s---ma-", "OBJ_CO", 2), *ARMS[3:]]
    first[0] = (*first[0][:4], 2)
    older = script("agdt_trees").conllu("phi0631.phi001.x.xml", document(first))
    assert older.splitlines()[1:] == written.splitlines()[1:]


def test_what_hangs_on_added_words_gets_their_heads(script: Callable[[str], ModuleType]) -> None:
    words = [
        ("Caesar", "Caesar", "n-s---mn-", "SBJ", 3),
        ("consul", "consul", "n-s---mn-", "PNOM", 3),
        ("est", "sum", "v3spia---", "PRED", 0),
    ]
    written = script("agdt_trees").conllu("a.xml", document(words, added="est"))
    treebank = script("treebanks").read("a.conllu", written.encode())
    assert treebank[0].forms == ["Caesar", "consul"]
    assert list(treebank[0].heads) == [0, 0] and treebank[0].deprels == ["ExD", "ExD"]
    unknown = [("a", "a", "r--------", "nil", 0)]
    no_tree = [("a", "a", "r--------", "ATR", 2), ("b", "b", "r--------", "ATR", 1)]
    assert script("agdt_trees").conllu("a.xml", document(unknown, no_tree)) == ""


def tree_treebank(sentences: list[list[str]], relation: str = "nsubj") -> xa.Treebank:
    """Return sentences of two words, the second of which is the root."""
    forms = [form for words in sentences for form in words]
    count = len(sentences)
    return xa.Treebank.from_columns(forms, head=[2, 0] * count, deprel=[relation, "root"] * count, lengths=[2] * count)


def test_parts_are_taken_from_commits(tmp_path: Path, script: Callable[[str], ModuleType]) -> None:
    repository = tmp_path / "clones" / "trees"
    repository.mkdir(parents=True)
    sentences = [[f"word{chr(97 + number)}" * 6, "ends"] for number in range(10)]
    trees = tree_treebank(sentences)
    xa.write(trees, repository / "all.conllu")
    (repository / "first").mkdir()
    (repository / "second").mkdir()
    xa.write(trees[:4], repository / "first" / "a.conllu")
    xa.write(tree_treebank(sentences[:1], "dep") + trees[1:4], repository / "second" / "a.conllu")
    git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@b.example"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "trees"]):
        subprocess.run([*git, *command], check=True)
    entry = {"repository": "someone/trees", "commit": "HEAD", "path": "all.conllu"}
    parts = (
        {"part": "train", "repository": "someone/trees", "commit": "HEAD", "path": "first", "agreeing": "second"},
        {**entry, "part": "train", "share": [0, 0.6]},
        {**entry, "part": "dev", "share": [0.5, 0.8]},
        {**entry, "part": "test", "share": [0.8, 1]},
    )
    recipes = script("recipe")
    recipe = recipes.Recipe("x", "X", "x", "", "", "", "", parts=parts)
    given = Namespace(output=tmp_path / "made", repositories=tmp_path / "clones", treebanks=None)
    script("treebanks").make(recipe, given)
    made = {part: [s.forms for s in recipe.part(given.output, part)] for part in ("train", "dev", "test")}
    # The annotators disagree about the first; the sixth stands in dev.
    assert made == {
        "train": [*sentences[1:4], sentences[0], sentences[4]],
        "dev": sentences[5:8],
        "test": sentences[8:],
    }


def test_determiners_of_danish_have_nouns(script: Callable[[str], ModuleType]) -> None:
    words = xa.Treebank.from_columns(
        ["den", "pige", "så", "den"],
        xpos=["PD", "NC", "VA", "PD"],
        feats=["gender=common/neuter|case=unmarked", "_", "mood=indic|tense=past", "_"],
        head=[3, 1, 0, 3],
        deprel=["subj", "nobj", "ROOT", "dobj"],
        lengths=[4],
    )
    tagged = script("danish").with_universal_tags(words)
    assert list(tagged.upos) == ["DET", "NOUN", "VERB", "PRON"]
    assert list(tagged.feats)[:3] == ["Gender=Com,Neut", "_", "Mood=Ind|Tense=Past|VerbForm=Fin"]


def test_words_that_are_written_together_become_tokens(script: Callable[[str], ModuleType]) -> None:
    rows = [
        "1-2\tab\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
        "1\ta\t_\t_\t_\t_\t2\tx\t_\tOrig=A",
        "2\tb\t_\t_\t_\t_\t0\troot\t_\t_",
    ]
    rows += ["3-4\tcd\t_\t_\t_\t_\t_\t_\t_\t_", "3\tc\t_\t_\t_\t_\t2\tx\t_\t_", "4\td\t_\t_\t_\t_\t2\tx\t_\t_"]
    text = "\n".join(["# text = abcd e", *rows, "5\te\t_\t_\t_\t_\t2\tx\t_\t_"]) + "\n\n"
    treebank = script("treebanks").read("a.conllu", text.encode())
    prepared = script("recipe").with_words_as_tokens(treebank)
    assert raw_text(prepared) == raw_text(treebank) == "abcd e\n"
    assert prepared[0].forms == treebank[0].forms and not prepared[0].multiword_tokens
    assert prepared[0][0].misc == {"Orig": "A", "SpaceAfter": "No"}


def test_older_relations_of_slovak_become_those_of_the_release(script: Callable[[str], ModuleType]) -> None:
    # Dal mu päť kníh bez obalu, ktoré chcel: he gave him five books without a cover, which he wanted.
    words = xa.Treebank.from_columns(
        ["Dal", "mu", "päť", "kníh", "bez", "obalu", ",", "ktoré", "chcel"],
        feats=["_", "Case=Dat", "_", "Case=Gen", "_", "Case=Gen", "_", "Case=Acc|PronType=Int,Rel", "_"],
        head=[0, 1, 4, 1, 6, 1, 9, 9, 4],
        deprel=["root", "iobj", "nummod", "obj", "case", "obj", "punct", "obj", "acl"],
        lengths=[9],
    )
    released = script("slovak").with_relations_of_release(words)
    changed = dict(zip(words.form, released.deprel, strict=True))
    assert changed["mu"] == "obl:arg" and changed["chcel"] == "acl:relcl"
    # What a numeral or a preposition governs, and the relative pronoun itself, stay as they were.
    assert [changed[form] for form in ("kníh", "obalu", "ktoré")] == ["obj"] * 3
    assert list(released.head) == list(words.head)


def test_another_segmenter_changes_nothing_else(tmp_path: Path, script: Callable[[str], ModuleType]) -> None:
    before = xa.load("en")
    before.save(tmp_path / "before.crossarc", bits=8)
    changed = script("train").with_segmenter(before, Segmenter.generic(), None)
    changed.save(tmp_path / "after.crossarc", bits=8)
    files = [read_model_file(tmp_path / f"{name}.crossarc") for name in ("before", "after")]
    parsers = [{key: array for key, array in file.arrays.items() if key.startswith("parser/")} for file in files]
    assert parsers[0] and parsers[0].keys() == parsers[1].keys()
    assert all((parsers[0][key] == parsers[1][key]).all() for key in parsers[0])
    assert files[0].description["parser"] == files[1].description["parser"]
    assert files[0].description["segmenter"] != files[1].description["segmenter"]


def test_cards_say_how_output_was_read(script: Callable[[str], ModuleType]) -> None:
    recipe = script("recipe").Recipe("x", "X", "x", "", "", "", "", remarks=("*x* is wrong.",), read="ten sentences")
    remarks = script("distribution").remarks_of
    assert "Seen in ten sentences:\n\n- *x* is wrong." in remarks(recipe)
    assert "## To be known\n\n- *x* is wrong." in remarks(replace(recipe, read=""))


def test_spaces_are_guessed_where_files_have_them_everywhere(script: Callable[[str], ModuleType]) -> None:
    rows = [f"{number}\t{form}" + "\t_" * 4 + f"\t{head}\tx\t_\t_" for number, form, head in
            ((1, "Zrkadlo", 0), (2, ",", 1), (3, "zrkadlo", 1), (4, "!", 1))]  # fmt: skip
    file = "\n".join(["# text = Zrkadlo , zrkadlo !", *rows]) + "\n\n"
    assert raw_text(script("treebanks").read("a.conllu", file.encode(), spaces=False)) == "Zrkadlo, zrkadlo!\n"
    assert raw_text(script("treebanks").read("a.conllu", file.encode())) == "Zrkadlo , zrkadlo !\n"


def test_older_dutch_trees_become_those_of_today(script: Callable[[str], ModuleType]) -> None:
    # Zijn zoon Jan Veelo werd de 26ste president en bleef rijk: his son became the 26th president and stayed rich.
    forms = ["Zijn", "zoon", "Jan", "van", "Veelo", "werd", "26ste", "president", "en", "bleef", "rijk", "."]
    words = xa.Treebank.from_columns(
        forms,
        lemma=["zijn", "zoon", "Jan", "van", "Veelo", "worden", "26", "president", "en", "blijven", "rijk", "."],
        upos=["DET", "NOUN", "PROPN", "ADP", "PROPN", "AUX", "NUM", "NOUN", "CCONJ", "AUX", "ADJ", "PUNCT"],
        feats=["_", "Number=Sing", "_", "_", "_", "_", "_", "_", "_", "_", "_", "_"],
        head=[2, 8, 2, 3, 3, 8, 8, 0, 8, 11, 8, 8],
        deprel=["det", "nsubj", "appos", "flat:name", "flat:name", "cop", "amod", "root", "cc", "cop", "conj", "punct"],
        lengths=[12],
    )
    today = script("dutch").with_relations_of_release(words)
    heads, labels, tags = (
        dict(zip(forms, column, strict=True)) for column in (today.head.tolist(), today.deprel, today.upos)
    )
    assert (labels["Zijn"], tags["Zijn"], today[0][0].feats) == (
        "nmod:poss",
        "PRON",
        {"Person": "3", "Poss": "Yes", "PronType": "Prs"},
    )
    # The verb governs its predicate, and has the subject and the conjunct, a clause whose verb governs, too.
    assert (heads["werd"], labels["werd"], tags["werd"]) == (0, "root", "VERB")
    assert (heads["president"], labels["president"], heads["zoon"]) == (6, "xcomp", 6)
    assert (heads["bleef"], labels["bleef"], heads["rijk"], labels["rijk"]) == (6, "conj", 10, "xcomp")
    # The determiner and the attribute stay with their noun, the conjunction hangs on the conjunct behind it.
    assert (heads["26ste"], heads["en"], labels["van"], tags["van"], tags["26ste"]) == (8, 10, "flat", "_", "_")
    assert today[0][3].feats == {"Unknown": "Yes"}
    assert [form for form, open_ in zip(forms, script("dutch").left_open(today), strict=True) if open_] == ["."]


def test_lemmas_that_today_have_their_parts_apart_are_left_out(script: Callable[[str], ModuleType]) -> None:
    divided = script("dutch")._divided
    assert divided("uitvoeren", "VERB") and divided("website", "NOUN") is False and divided("striptekenaar", "NOUN")
    assert not divided("voeren", "VERB") and divided("Utrecht", "PROPN") and not divided("omdat", "SCONJ")


def test_older_vedic_particles_are_left_open(script: Callable[[str], ModuleType]) -> None:
    # na vai agniḥ: the fire, indeed, is not.
    words = xa.Treebank.from_columns(
        ["na", "vai", "agniḥ", "prati"],
        lemma=["na", "vai", "agni", "prati"],
        upos=["PART", "ADV", "NOUN", "ADV"],
        head=[3, 3, 0, 3],
        deprel=["advmod", "advmod", "root", "case"],
        lengths=[4],
    )
    today = script("vedic").with_relations_of_release(words)
    assert list(today.upos) == ["PART", "PART", "NOUN", "_"]
    assert script("vedic").left_open(today).tolist() == [False, True, False, False]


def test_a_relation_without_subtype_may_have_any(script: Callable[[str], ModuleType]) -> None:
    older, labels = script("older_trees"), ["root", "obl", "obl:arg", "obj", "expl:pv", "nsubj:pass", "nsubj"]
    assert older.possible_labels("obl", labels, ()) == [1, 2]
    assert older.possible_labels("obj", labels, ("expl:pv",)) == [3, 4]
    assert older.possible_labels("nsubj:pass", labels, ()) == [5]
    assert older.possible_labels("nsubj:outer", labels, ()) == [5, 6]


def test_sentences_that_are_no_trees_are_left_out(script: Callable[[str], ModuleType]) -> None:
    row = "{0}\ta\ta\tX\t_\t_\t{1}\tdep\t_\t_\n"
    good, bad = row.format(1, 0) + row.format(2, 1), row.format(1, 0) + row.format(12, 12)
    whole = script("older_trees").trees_of(f"# one\n{good}\n# two\n{bad}\n{good}\n".encode()).decode()
    assert whole == f"# one\n{good}\n{good}\n"
    leaves = script("older_trees").are_leaves(xa.Treebank.from_columns(["a"] * 3, head=[2, 0, 2], lengths=[3]))
    assert leaves.tolist() == [True, False, True]


def test_a_model_decides_what_rules_leave_open(script: Callable[[str], ModuleType]) -> None:
    trees = xa.Treebank.from_columns(
        ["She", "left", ",", "and", "he", "stayed", "."],
        upos=["PRON", "VERB", "PUNCT", "CCONJ", "PRON", "VERB", "PUNCT"],
        lemma=["she", "leave", ",", "and", "he", "stay", "."],
        head=[2, 0, 2, 2, 6, 2, 2],
        deprel=["nsubj", "root", "punct", "cc", "nsubj", "conj", "punct"],
        lengths=[7],
    )
    today = script("older_trees").in_manner_of(xa.load("en"), trees, script("dutch"))
    assert list(today.head) == [2, 0, 6, 6, 6, 2, 2]
    assert list(today.deprel) == ["nsubj", "root", "punct", "cc", "nsubj", "conj", "punct"]


def test_dutch_auxiliaries_are_those_of_today(script: Callable[[str], ModuleType]) -> None:
    # Hij moest werken, maar wil gaan: he had to work but wants to go.
    words = xa.Treebank.from_columns(
        ["Hij", "moest", "werken", ",", "maar", "wil", "gaan"],
        lemma=["hij", "moeten", "werken", ",", "maar", "willen", "gaan"],
        upos=["PRON", "VERB", "VERB", "PUNCT", "CCONJ", "AUX", "VERB"],
        head=[2, 0, 2, 2, 2, 7, 2],
        deprel=["nsubj", "root", "xcomp", "punct", "cc", "aux", "conj"],
        lengths=[7],
    )
    today = script("dutch").with_relations_of_release(words)
    assert today.head.tolist() == [3, 3, 0, 3, 6, 3, 6]
    assert list(today.deprel) == ["nsubj", "aux", "root", "punct", "cc", "conj", "xcomp"]
    assert list(today.upos)[1:3] == ["AUX", "VERB"] and today.upos[5] == "VERB"
