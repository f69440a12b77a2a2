"""What of a sentence or a configuration is looked at: feature templates, views, vocabularies of attributes."""

from .default_templates import default_label_templates, default_templates
from .templates import FeatureSet, TemplateError, compile_templates, read_templates
from .views import look
from .vocabularies import Columns, ColumnsError

__all__ = [
    "Columns",
    "ColumnsError",
    "FeatureSet",
    "TemplateError",
    "compile_templates",
    "default_label_templates",
    "default_templates",
    "look",
    "read_templates",
]
