"""What scores transitions and labels, and the model files that keep it."""

from .model_file import ModelFile, ModelFileError, check_model_name, read_model_file, write_model_file

__all__ = ["ModelFile", "ModelFileError", "check_model_name", "read_model_file", "write_model_file"]
