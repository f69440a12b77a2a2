"""The model en-accurate for crossarc: crossarc.load('en-accurate')."""
