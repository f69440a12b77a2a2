"""Raw text to trees: tokens as they are written, where texts are cut into them, pipelines, and models by name."""

from .pipeline import Pipeline, UnknownLanguageWarning
from .registry import KnownModel, known_models, load, load_pipeline
from .segmenter import Segmentation, Segmenter, SegmenterOptions
from .surface import SurfaceToken, raw_text, surface_sentences

__all__ = [
    "KnownModel",
    "Pipeline",
    "Segmentation",
    "Segmenter",
    "SegmenterOptions",
    "SurfaceToken",
    "UnknownLanguageWarning",
    "known_models",
    "load",
    "load_pipeline",
    "raw_text",
    "surface_sentences",
]
