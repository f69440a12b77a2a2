"""What lies around a model file: its licence, a card with its scores and, for a model that does not come with the
package, the folder of a distribution that pip installs, `pip install models/NAME`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import wordnet
from recipe import Recipe

from crossarc.files import open_output

#: Measures by name, by what they are of.
Scores = dict[str, dict[str, float]]
_PROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "crossarc-model-{name}"
version = "{version}"
description = "{language} model for crossarc"
readme = "README.md"
license-files = ["LICENSE"]
dependencies = ["crossarc>={version}"]

[project.entry-points.crossarc_models]
{name} = "{package}"

[tool.setuptools]
packages = ["{package}"]
package-data = {{ "*" = ["*.crossarc"] }}
"""


def licence_text(recipe: Recipe) -> str:
    """What lies beside a model: its licence, its source, and what was made of it."""
    known = f"\nIts lemmatiser has the words of {wordnet.NAME}:\n\n{wordnet.licence()}" if recipe.dictionary else ""
    return (
        f"{recipe.name}.crossarc, a model for {recipe.language}\n\n"
        f"Licence: {recipe.licences}\n"
        f"Text of the licence: {recipe.deed}\n"
        f"Made from: {recipe.sources}\n"
        f"Attribution: {recipe.attribution}\n\n"
        f"The model was trained by pretrained/train.py of crossarc on the training part of the treebank; its weights,\n"
        f"vocabularies and tables of lemmas are derived from it and are under the same licence. crossarc itself is\n"
        f"under the MIT licence.\n{known}"
    )


def score_table(scores: Scores) -> str:
    """Return scores as a table in Markdown, a row for what they were measured on."""
    names = list(dict.fromkeys(key for row in scores.values() for key in row))
    lines = [f"| {' | '.join(['', *names])} |", f"|---|{'---:|' * len(names)}"]
    for title, row in scores.items():
        cells = [f"{100 * row[key]:.2f}" if key in row else "" for key in names]
        lines.append(f"| {' | '.join([title, *cells])} |")
    return "\n".join(lines)


def card(recipe: Recipe, about: Mapping[str, Any], size: int, scores: Scores, by_domain: Scores) -> str:
    """Return the card of a model: what it is, what it was made from and how, and its scores."""
    parts = {"Encoder": recipe.encoder, "Trees, too": recipe.trees, "Lemmas and spellings, too": recipe.words}
    if recipe.teacher:
        parts[f"Texts that {recipe.teacher['model']} parsed"] = recipe.teacher
    further = "".join(f"- {name}: {of['source']}; {of['licence']}.\n" for name, of in parts.items() if of)
    further += f"- Lemmas, too: {wordnet.NAME}; its licence is beside the model.\n" if recipe.dictionary else ""
    made = f"- {recipe.made}\n" if recipe.made else ""
    domain = f"- Domain: {recipe.domain}.\n" if recipe.domain else ""
    domains = f"\n## By domain\n\nGold words, test.\n\n{score_table(by_domain)}\n" if by_domain else ""
    seen = remarks_of(recipe)
    return (
        f"# {recipe.name}: {recipe.language}\n\n"
        f"- Treebank: {recipe.source}, {recipe.licence}. {recipe.attribution}.\n{domain}{further}"
        f"- Made by `{about['command']}` with crossarc {about['crossarc']}; {size / 1e6:.1f} MB, weights of 8 bits.\n"
        f"{made}\n"
        f"## Scores\n\nThose of CoNLL 2018, in percent.\n\n{score_table(scores)}\n{domains}{seen}"
    )


def remarks_of(recipe: Recipe) -> str:
    """Return what is known of the mistakes of a model."""
    if not recipe.remarks:
        return ""
    heading = f"What it gets wrong\n\nSeen in {recipe.read}:" if recipe.read else "To be known"
    return f"\n## {heading}\n\n" + "".join(f"- {remark}\n" for remark in recipe.remarks)


def write_text(path: Path, text: str) -> None:
    """Write a text, and the folders that it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_output(path) as file:
        file.write(text.encode())


def package_folder(folder: Path, name: str) -> Path:
    """Return where the model file of a distribution lies, and make its folder."""
    package = folder / f"crossarc_model_{name.replace('-', '_')}"
    package.mkdir(parents=True, exist_ok=True)
    return package


def write_distribution(folder: Path, recipe: Recipe, version: str, readme: str) -> None:
    """Write all files of a distribution but the model itself."""
    package = package_folder(folder, recipe.name)
    project = _PROJECT.format(name=recipe.name, version=version, language=recipe.language, package=package.name)
    write_text(folder / "pyproject.toml", project)
    write_text(folder / "LICENSE", licence_text(recipe))
    write_text(folder / "README.md", readme)
    loaded = f'"""The model {recipe.name} for crossarc: crossarc.load({recipe.name!r})."""\n'
    write_text(package / "__init__.py", loaded)
