"""The training loop, checkpoints and what is reported."""
