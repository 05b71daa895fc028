"""Re-estimation of discrete RBNs."""
