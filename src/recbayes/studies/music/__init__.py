"""Trees of pieces of music: the paper's experiment, run again and held against what analysts say."""
