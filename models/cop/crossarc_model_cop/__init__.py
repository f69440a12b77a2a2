"""The model cop for crossarc: crossarc.load('cop')."""
