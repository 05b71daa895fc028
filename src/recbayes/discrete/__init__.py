"""Discrete RBNs and grammars: model, chart, posterior, learning."""
