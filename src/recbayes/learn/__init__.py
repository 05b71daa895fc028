"""Learning: fit, re-estimation, comparison of models, the segmenter, and what they share."""
