"""What of a sentence or a configuration is looked at: feature templates, views, vocabularies of attributes.

Modules are imported when something of them is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _on_demand

if TYPE_CHECKING:
    from .defaults import default_label_templates as default_label_templates
    from .defaults import default_templates as default_templates
    from .templates import FeatureModel as FeatureModel
    from .templates import FeatureSet as FeatureSet
    from .templates import TemplateError as TemplateError
    from .templates import compile_templates as compile_templates
    from .templates import feature_models as feature_models
    from .templates import read_templates as read_templates
    from .views import compile_views as compile_views
    from .views import default_views as default_views
    from .views import look as look
    from .vocabularies import Vocabularies as Vocabularies
    from .vocabularies import VocabularyError as VocabularyError

_HOMES = {
    "defaults": "default_label_templates default_templates",
    "templates": "FeatureModel FeatureSet TemplateError compile_templates feature_models read_templates",
    "views": "compile_views default_views look",
    "vocabularies": "Vocabularies VocabularyError",
}

__all__, __getattr__, __dir__ = _on_demand(__name__, _HOMES)
