"""The training loop, checkpoints and the report of what training came to."""
