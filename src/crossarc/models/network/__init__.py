"""Networks that read the whole sentence: options, learner, weights."""
