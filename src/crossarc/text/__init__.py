"""Raw text to words: tokens as they are written, and where texts are cut into them."""

from .segmenter import Segmentation, Segmenter, SegmenterOptions
from .surface import SurfaceToken, raw_text, surface_sentences

__all__ = ["Segmentation", "Segmenter", "SegmenterOptions", "SurfaceToken", "raw_text", "surface_sentences"]
