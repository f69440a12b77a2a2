"""Raw text to trees: tokens as they are written, where texts are cut into them, pipelines, and models by name."""

from .network import SegmenterOptions
from .pipeline import LongSentenceWarning, Pipeline, UnknownLanguageWarning
from .registry import KnownModel, known_models, load, load_pipeline
from .segmenter import Segmenter
from .surface import SurfaceToken, raw_text, surface_sentences
from .words import Segmentation

__all__ = [
    "KnownModel",
    "LongSentenceWarning",
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
