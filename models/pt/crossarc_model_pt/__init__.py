"""The model pt for crossarc: crossarc.load('pt')."""
