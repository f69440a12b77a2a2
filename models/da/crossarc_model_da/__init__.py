"""The model da for crossarc: crossarc.load('da')."""
