"""Makes texts of the tagged files of MASC, for teachers to parse: sentences of words, without the tags.

The Manually Annotated Sub-Corpus of the American National Corpus (Ide and others 2010; letters, e-mails, blogs, novels,
essays, talk and so on, 500,000 words) may be used for commercial development, too. Its words are those of the Penn
Treebank. Sentences of the treebanks that models are measured on are left out. O(words).

    python pretrained/masc.py nltk_data/.git --held-out en_ewt/{dev,test}.conllu.gz -o texts/en/masc.conllu
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import crossarc as xa

ARCHIVE = "packages/corpora/masc_tagged.zip"
#: What brackets are in files of the Penn Treebank.
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}
#: Longer ones are lists that nobody divided.
LONGEST = 120


def sentences(repository: Path) -> Iterator[tuple[str, ...]]:
    """Yield the words of each sentence; the tag of a word is behind its last underline."""
    shown = subprocess.run(
        ["git", "-C", str(repository), "show", f"HEAD:{ARCHIVE}"], check=True, capture_output=True
    ).stdout
    with ZipFile(BytesIO(shown)) as archive:
        for name in sorted(archive.namelist()):
            if not name.endswith(".txt") or name.endswith("categories.txt"):
                continue
            for line in archive.read(name).decode(errors="replace").splitlines():
                words = [word.rpartition("_")[0] for word in line.split()]
                yield tuple(BRACKETS.get(word, word) for word in words if word)


def main() -> None:
    """Write the sentences, each once, and print how many words they have."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path, help="a clone of nltk/nltk_data")
    parser.add_argument("--held-out", nargs="+", type=Path, default=[], help="treebanks whose sentences are left out")
    parser.add_argument("--output", "-o", type=Path, required=True)
    given = parser.parse_args()
    held_out = {tuple(sentence.forms) for file in given.held_out for sentence in xa.read(file, root="any")}
    different = dict.fromkeys(each for each in sentences(given.repository) if 1 < len(each) <= LONGEST)
    kept = [each for each in different if each not in held_out]
    xa.write(xa.Treebank.from_words(kept), given.output)
    print(
        f"{given.output}: {len(kept):,} sentences, {sum(map(len, kept)):,} words; {len(different) - len(kept)} left out"
    )


if __name__ == "__main__":
    main()
