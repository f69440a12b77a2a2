"""What parsers look at and what they keep: feature templates, columns of numbers, model files."""

from .columns import Columns, ColumnsError
from .default_templates import default_label_templates, default_templates
from .model_file import ModelFile, ModelFileError, check_model_name, read_model_file, write_model_file
from .templates import FeatureSet, TemplateError, compile_templates, read_templates
from .views import look

__all__ = [
    "Columns",
    "ColumnsError",
    "FeatureSet",
    "ModelFile",
    "ModelFileError",
    "TemplateError",
    "check_model_name",
    "compile_templates",
    "default_label_templates",
    "default_templates",
    "look",
    "read_model_file",
    "read_templates",
    "write_model_file",
]
