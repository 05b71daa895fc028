"""Posteriors of discrete RBNs."""
