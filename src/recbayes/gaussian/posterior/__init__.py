"""Posteriors of Gaussian RBNs."""
