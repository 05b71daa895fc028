"""Recursive Bayesian networks with any densities: variables and their supports, steps, sampling."""
