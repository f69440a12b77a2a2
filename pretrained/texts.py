"""Makes plain text of repositories of TEI files, for `crossarc pretrain`: one file a repository.

A repository is a git directory, with or without a work tree; texts are read from its newest commit. Editions lie in
`data/AUTHOR/WORK/AUTHOR.WORK.EDITION.xml`, and of each work one edition is taken, the newest, from the first repository
that has it. A paragraph is a line, an empty line ends a work. Notes, apparatus, page numbers, speakers and numbers of
chapters are left out, words that are divided at the end of a line are joined, characters are composed (NFC).

    python pretrained/texts.py greekLit/.git First1KGreek/.git --language grc -o texts/grc

`--treebank FILE…` counts the sentences of a treebank that the texts contain, letter by letter: what an encoder is
pretrained on may be what it is tested on, and its card has to say so.
"""

from __future__ import annotations

import argparse
import html
import re
import subprocess
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import crossarc as xa
from crossarc.files import open_output

#: Elements that are no part of what the author wrote, or that an edition has twice.
LEFT_OUT = {
    *(
        "teiheader",
        "front",
        "back",
        "note",
        "bibl",
        "listbibl",
        "ref",
        "label",
        "speaker",
        "stage",
        "docauthor",
        "foreign",
    ),
    *(
        "rdg",
        "wit",
        "del",
        "sic",
        "orig",
        "abbr",
        "surplus",
        "gap",
        "fw",
        "figure",
        "listperson",
        "noparse",
        "pubplace",
    ),
}
#: Elements that end a paragraph.
BLOCKS = {"p", "div", "head", "ab", "lg", "sp", "item", "list", "table", "row", "quote"}
#: Elements that stand between two lines or pages.
BREAKS = {"lb", "pb", "cb", "l", "milestone"}
#: The least share of letters in a paragraph that are of the script of its language.
LEAST_SHARE = 0.8
SCRIPTS = {"grc": "GREEK", "lat": "LATIN"}
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)(\w*;?)")
_DIVIDED = re.compile(r"(?<=\w)[-\u00ad\u2010]\s*\n\s*(?=\w)")
#: Brackets of editors, often within words, and numbers of lines and sections.
_BRACKETS = re.compile(r"[\[\]<>{}()|†‡*〈〉⟨⟩⟦⟧«»⸢⸣]")
_NUMBERS = re.compile(r"(?<!\w)\d+(?:[.,:]\d+)*(?!\w)")


def editions(repository: Path, language: str) -> dict[str, list[tuple[str, str]]]:
    """Return the editions of each work, newest first: their names and objects."""
    listed = _git(repository, "ls-tree", "-r", "HEAD", "data").decode()
    found: dict[str, list[tuple[str, str]]] = {}
    for line in listed.splitlines():
        description, name = line.split("\t")
        if re.search(rf"-{language}\d+\.xml$", name):
            found.setdefault("/".join(name.split("/")[1:3]), []).append((name, description.split()[2]))
    newest = {work: sorted(names, key=lambda each: _number(each[0]), reverse=True) for work, names in found.items()}
    return dict(sorted(newest.items()))


def _number(name: str) -> int:
    return int(re.findall(r"\d+", name.removesuffix(".xml"))[-1])


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(repository), *arguments], check=True, capture_output=True).stdout


def content(repository: Path, object: str) -> bytes | None:
    """Return the content of a file; None where the copy of the repository lacks it."""
    result = subprocess.run(["git", "-C", str(repository), "cat-file", "blob", object], capture_output=True)
    return None if result.returncode else result.stdout


def paragraphs(document: bytes, language: str) -> list[str]:
    """Return the paragraphs of the body of a TEI file that are of a language."""
    text = re.sub(r"<!DOCTYPE.*?(\[.*?\])?>", "", document.decode("utf-8", "replace"), count=1, flags=re.DOTALL)
    root = ElementTree.fromstring(_ENTITY.sub(lambda found: html.unescape(found[0]).replace("&", "&amp;"), text))
    pieces: list[str] = []
    for body in (each for each in root.iter() if _tag(each) == "body"):
        pieces += [*_texts(body, language), "\f"]
    whole = unicodedata.normalize("NFC", "".join(pieces))
    cleaned = (_cleaned(paragraph) for paragraph in whole.split("\f"))
    return [paragraph for paragraph in cleaned if _is_of(paragraph, SCRIPTS[language])]


def _texts(element: ElementTree.Element, language: str) -> Iterator[str]:
    """Return the text of an element in pieces; a form feed ends a paragraph, a line feed a line."""
    tag = _tag(element)
    spoken = element.get("{http://www.w3.org/XML/1998/namespace}lang", language)
    foreign = tag == "div" and spoken not in (language, "") and element.get("type") in ("translation", "edition")
    kept = tag not in LEFT_OUT and not foreign
    if tag == "foreign" and spoken == language:
        kept = True
    ends = "\f" if tag in BLOCKS else "\n" if tag in BREAKS else ""
    yield ends
    if kept:
        yield element.text or ""
        for child in element:
            yield from _texts(child, language)
            yield child.tail or ""
    yield ends if tag != "lb" else ""


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else "note"


def _cleaned(paragraph: str) -> str:
    joined = _NUMBERS.sub(" ", _BRACKETS.sub("", _DIVIDED.sub("", paragraph)))
    return " ".join(joined.split()).replace(" ,", ",").replace(" .", ".").replace(" ·", "·")


def _is_of(paragraph: str, script: str) -> bool:
    """Whether a paragraph has a word or two, and most of its letters are of a script."""
    letters = [character for character in paragraph if character.isalpha()]
    of_script = sum(_script_of(character) == script for character in letters)
    return len(letters) >= 10 and of_script >= LEAST_SHARE * len(letters)


@cache
def _script_of(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0]


def write_texts(repositories: list[Path], language: str, output: Path) -> list[Path]:
    """Write the texts of each repository to a file of the folder, and print what was written and what is missing."""
    output.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    files = []
    for number, repository in enumerate(repositories, 1):
        files.append(output / f"{number}.txt")
        works, words, missing, broken = 0, 0, 0, 0
        with open_output(files[-1]) as file:
            for work, names in editions(repository, language).items():
                if work in taken:
                    continue
                document = next(filter(None, (content(repository, object) for _, object in names)), None)
                missing += document is None
                try:
                    lines = paragraphs(document, language) if document else []
                except ElementTree.ParseError:
                    broken += 1
                    continue
                if lines:
                    taken.add(work)
                    works += 1
                    words += sum(len(line.split()) for line in lines)
                    file.write(("\n".join(lines) + "\n\n").encode())
        print(
            f"{files[-1]}: {works:,} works, {words:,} words of {repository}; {missing} works are missing from this copy"
            f", {broken} are not well-formed",
            flush=True,
        )
    return files


def letters_of(text: str) -> str:
    """Return the letters of a text without accents and case, by which sentences of different editions are compared."""
    # One of the apostrophes is a letter.
    plain = unicodedata.normalize("NFD", text.lower()).replace("ς", "σ").replace("ʼ", "")
    return "".join(filter(str.isalpha, plain))


def count_contained(files: list[Path], treebank: Path, least: int = 20) -> tuple[int, int]:
    """Return how many sentences of a treebank the texts contain, and of how many, those of fewer letters left out."""
    texts = "\n".join(letters_of(file.read_text(encoding="utf-8")) for file in files)
    sentences = [letters_of(" ".join(sentence.forms)) for sentence in xa.read(treebank, root="any")]
    sentences = [sentence for sentence in sentences if len(sentence) >= least]
    beginning: dict[str, set[str]] = {}
    for sentence in sentences:
        beginning.setdefault(sentence[:least], set()).add(sentence)
    contained: set[str] = set()
    for start in range(len(texts) - least + 1):
        candidates = beginning.get(texts[start : start + least], ())
        contained.update(each for each in candidates if texts.startswith(each, start))
    return sum(sentence in contained for sentence in sentences), len(sentences)


def main() -> None:
    """Write the texts, and count the sentences of treebanks in them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--language", choices=sorted(SCRIPTS), required=True)
    parser.add_argument("--output", "-o", type=Path, required=True)
    parser.add_argument("--treebank", nargs="*", type=Path, default=[])
    given = parser.parse_args()
    files = write_texts(given.repositories, given.language, given.output)
    for treebank in given.treebank:
        contained, sentences = count_contained(files, treebank)
        print(f"{treebank}: {contained:,} of {sentences:,} sentences of 20 letters or more are in the texts")


if __name__ == "__main__":
    main()
