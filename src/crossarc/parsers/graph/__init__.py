"""Parsers that score arcs and find the best tree of a class."""
