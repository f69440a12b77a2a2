"""What scorers over feature templates, perceptrons and classifiers, have in common: options and definitions.

Templates say what is looked at in a configuration; labels are chosen together with transitions or by templates of their
own. O(templates).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from ..errors import ParserError
from ..features import Vocabularies, default_label_templates, default_templates, read_templates
from ..features.templates import parse_template, word_attributes
from ..options import MOST_TEMPLATES, Check, Options, listed, one_of, option, text
from ..transitions import TransitionSystem
from ..treebank import Treebank
from .base import SentenceInputs

#: How labels are learnt: together with transitions, or by a model of their own.
LABELS = ("joint", "separate")

AnyTemplates = TypeVar("AnyTemplates", bound="TemplateOptions")
_texts = listed(text, 1, MOST_TEMPLATES, "texts")


@dataclass(frozen=True)
class TemplateOptions(Options):
    """Options of scorers over templates: which ones, and how labels are learnt."""

    templates: tuple[str, ...] | None = option(None, _texts)
    label_templates: tuple[str, ...] | None = option(None, _texts)
    labels: str = option("separate", one_of(*LABELS))
    name: ClassVar[str]
    fields: ClassVar[Mapping[str, Check]] = {
        "templates": _texts,
        "label_templates": listed(text, 0, MOST_TEMPLATES, "texts"),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        for template in (*(self.templates or ()), *(self.label_templates or ())):
            parse_template(template)
        if self.labels == "joint" and self.label_templates is not None:
            raise ParserError("label_templates are for separate labels: with joint labels there is one model")

    @classmethod
    def option_names(cls) -> list[str]:
        return [*super().option_names(), "templates_file"]

    @classmethod
    def from_dict(cls: type[AnyTemplates], data: Mapping[str, Any], *, complete: bool = False) -> AnyTemplates:
        """Make it of options by name; `templates_file` is a file as `crossarc features` prints it."""
        given = dict(data)
        path = given.pop("templates_file", None)
        if path is not None:
            separate = given.get("labels", cls.labels) == "separate"
            templates, label_templates = read_templates(path, labels=separate)
            given |= {"templates": templates, **({"label_templates": label_templates} if separate else {})}
        return super().from_dict(given, complete=complete)

    def default_templates(self, system: TransitionSystem) -> list[str]:
        """Return the templates of transitions that suit a system."""
        return default_templates(system)

    def default_label_templates(self, system: TransitionSystem) -> list[str]:
        """Return the templates of labels that suit a system."""
        return default_label_templates(system)

    def inputs(self, system: TransitionSystem) -> dict[str, list[str]]:
        """Return the templates of transitions and of labels, as `read_templates` reads them."""
        sections = {"transitions": list(self.templates or self.default_templates(system))}
        if self.labels == "separate":
            sections["labels"] = list(self.label_templates or self.default_label_templates(system))
        return sections

    def fitted(
        self, system: TransitionSystem, treebank: Treebank, cutoff: int, more: Sequence[str] = ()
    ) -> tuple[Vocabularies, tuple[str, ...], tuple[str, ...]]:
        """Return vocabularies of training data for the templates, with more of these, and those of both kinds."""
        sections = self.inputs(system)
        templates, label_templates = tuple(sections["transitions"]), tuple(sections.get("labels", ()))
        attributes = word_attributes((*templates, *label_templates, *more))
        return Vocabularies.fit(treebank, attributes, cutoff=cutoff), templates, label_templates


@dataclass(frozen=True)
class TemplateDefinition:
    """A system and its labels, with the templates and vocabularies that make the features of a model."""

    system: TransitionSystem
    artificial_root: str
    labels: int
    vocabularies: Vocabularies
    templates: tuple[str, ...]
    label_templates: tuple[str, ...]
    scorer: TemplateOptions

    def inputs(self, treebank: Treebank) -> SentenceInputs:
        return SentenceInputs.from_treebank(treebank, self.vocabularies)

    def to_dict(self) -> dict[str, Any]:
        return {
            "scorer": self.scorer.name,
            "templates": list(self.templates),
            "label_templates": list(self.label_templates),
        }

    def summary(self) -> dict[str, Any]:
        return {"scorer": self.scorer.name, "looks_at": len(self.templates) + len(self.label_templates)}
