"""Gaussian RBNs: model, chart, posterior, learning."""
