"""The paper's quantitative evaluation: trees of noisy synthetic series, by several methods, against the true ones."""
