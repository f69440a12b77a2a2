"""The model nl for crossarc: crossarc.load('nl')."""
