"""What of a sentence or a configuration is looked at: feature templates, views, vocabularies of attributes."""

from .default_templates import default_label_templates, default_templates
from .shipped import FeatureModel, feature_models
from .templates import FeatureSet, TemplateError, compile_templates, read_templates
from .views import compile_views, default_views, look
from .vocabularies import Vocabularies, VocabularyError

__all__ = [
    "FeatureModel",
    "FeatureSet",
    "TemplateError",
    "Vocabularies",
    "VocabularyError",
    "compile_templates",
    "compile_views",
    "default_label_templates",
    "default_templates",
    "default_views",
    "feature_models",
    "look",
    "read_templates",
]
