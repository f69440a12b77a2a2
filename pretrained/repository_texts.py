"""Makes plain text of public repositories, for teachers to parse and for `crossarc pretrain`.

A repository is a git directory; texts are read from its newest commit. They are articles of Wikipedia, Markdown pages,
of which front matter, code, tables, links and marks are left out, or, with `--books` or `--gutenberg`, plain text whose
lines are short: those between two empty ones are a paragraph. A paragraph stands once and is a line with an empty one
behind it; those of `--books` have one line each, and an empty one behind the last. O(bytes).

    python pretrained/repository_texts.py wikiextractor/.git --folder text-excellent --words 2600000 -o wiki.txt
    python pretrained/repository_texts.py digitalgov.gov/.git --folder content -o texts/en/digitalgov.txt
    python pretrained/repository_texts.py lat_text_latin_library/.git --books -o texts/la/library.txt
    python pretrained/repository_texts.py Gutenberg_Text/.git --gutenberg --every 70 -o texts/en/gutenberg.txt
"""

from __future__ import annotations

import argparse
import html
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from texts import content

from crossarc.files import open_output

#: Shorter lines of articles are titles and remains of tables; shorter paragraphs of pages are buttons.
LEAST_OF_ARTICLES, LEAST_OF_PAGES = 60, 20
#: Shorter paragraphs of books are titles and numbers.
LEAST_OF_BOOKS = 40
#: Of articles, which have none, and of pages.
_ENDINGS = ("", ".txt", ".md")
#: What is left out of Markdown, and what is put in its place.
_MARKDOWN = [
    (re.compile(r"\A---\n.*?\n---\n", re.DOTALL), ""),
    (re.compile(r"```.*?```|\{\{.*?\}\}|\{%.*?%\}|<!--.*?-->", re.DOTALL), ""),
    (re.compile(r"<(script|style|table).*?</\1>", re.DOTALL), ""),
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), ""),
    (re.compile(r"\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])"), r"\1"),
    (re.compile(r"<[^>]+>"), ""),
]
_PARAGRAPHS = re.compile(r"\n\s*\n|\n(?=\s*[-*+#>|]|\s*\d+\.)")
_MARK = re.compile(r"^\s*([-*+>]|#+|\d+\.)\s+")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
#: What Project Gutenberg writes before and behind a book, and pictures in it.
_BOOK = re.compile(r"\*\*\* ?START OF[^\n]*\n(.*?)\*\*\* ?END OF", re.DOTALL)
_PICTURE = re.compile(r"\[(Illustration|Footnote)[^\]]*\]")
_EMPHASIS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")


def documents(repository: Path, folder: str, every: int) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of every so manieth file of a folder, as far as the copy of the repository has it."""
    listed = subprocess.run(
        ["git", "-C", str(repository), "ls-tree", "-rz", "HEAD", folder], check=True, capture_output=True, text=True
    )
    for line in listed.stdout.rstrip("\0").split("\0")[::every]:
        description, name = line.split("\t")
        document = content(repository, description.split()[2]) if Path(name).suffix in _ENDINGS else None
        if document is not None:
            yield name, document.decode(errors="replace")


def article_paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of articles that were extracted from Wikipedia, a line each."""
    for line in html.unescape(re.sub(r"<[^>]+>", "", text)).split("\n"):
        if len(line) > LEAST_OF_ARTICLES:
            yield " ".join(line.split())


def page_paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a page in Markdown."""
    for pattern, instead in _MARKDOWN:
        text = pattern.sub(instead, text)
    for paragraph in _PARAGRAPHS.split(html.unescape(text)):
        plain = " ".join(_EMPHASIS.sub("", _MARK.sub("", paragraph.strip())).split())
        if "|" not in plain and len(plain) >= LEAST_OF_PAGES and not plain.startswith(("{", "[", "http")):
            yield plain


def book_paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of plain text with short lines, without numbers of lines and sections."""
    for paragraph in re.split(r"\n\s*\n", _CONTROLS.sub("", html.unescape(text))):
        plain = " ".join(re.sub(r"\[?\b\d+\b[\].]?", " ", paragraph).split())
        if len(plain) >= LEAST_OF_BOOKS:
            yield plain


def novel_paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a book of Project Gutenberg, without what is written before and behind it."""
    for book in _BOOK.findall(text.replace("\r\n", "\n")):
        for paragraph in re.split(r"\n\s*\n", _PICTURE.sub("", _CONTROLS.sub("", book))):
            plain = " ".join(_EMPHASIS.sub("", paragraph).split())
            if len(plain) >= LEAST_OF_BOOKS and not plain.isupper():
                yield plain


def main() -> None:
    """Write the paragraphs, and print how many words they have."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--folder", default=".", help="where the files are; default: anywhere")
    parser.add_argument("--words", type=int, default=1 << 62, help="about how many words; default: all")
    parser.add_argument("--output", "-o", type=Path, required=True)
    parser.add_argument("--books", action="store_true", help="plain text with short lines; default: articles and pages")
    parser.add_argument("--gutenberg", action="store_true", help="books of Project Gutenberg")
    parser.add_argument("--every", type=int, default=1, help="take every so manieth file; default: all")
    given = parser.parse_args()
    paragraphs: dict[str, None] = {}
    words = 0
    for name, text in documents(given.repository, given.folder, given.every):
        of_text = novel_paragraphs if given.gutenberg else article_paragraphs
        if given.books or name.endswith(".md"):
            of_text = book_paragraphs if given.books else page_paragraphs
        for paragraph in of_text(text):
            words += 0 if paragraph in paragraphs else paragraph.count(" ") + 1
            paragraphs[paragraph] = None
        if given.books:
            paragraphs[f"\n{name}"] = None
        if words >= given.words:
            break
    given.output.parent.mkdir(parents=True, exist_ok=True)
    with open_output(given.output) as file:
        for paragraph in paragraphs:
            ends = "\n" if given.books else "\n\n"
            # What begins with a line feed is the name of a book, behind its last paragraph.
            file.write(("\n" if paragraph.startswith("\n") else paragraph + ends).encode())
    print(f"{given.output}: {words:,} words")


if __name__ == "__main__":
    main()
