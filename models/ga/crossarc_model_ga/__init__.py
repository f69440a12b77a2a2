"""The model ga for crossarc: crossarc.load('ga')."""
