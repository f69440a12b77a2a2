"""Transition systems as values: elementary transitions, composition, guards, the catalogue."""
