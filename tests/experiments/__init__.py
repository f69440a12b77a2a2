"""The experiments of the reproduction, on a few generated sentences."""
