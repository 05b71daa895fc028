"""Gaussian algebra, checks of arrays, and the compiled small-matrix routines. Imports nothing of ours but the errors."""
