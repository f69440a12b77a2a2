"""The model sk for crossarc: crossarc.load('sk')."""
