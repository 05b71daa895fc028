"""Re-estimation of discrete RBNs and grammars."""
