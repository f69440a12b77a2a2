"""The model sa for crossarc: crossarc.load('sa')."""
