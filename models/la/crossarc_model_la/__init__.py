"""The model la for crossarc: crossarc.load('la')."""
