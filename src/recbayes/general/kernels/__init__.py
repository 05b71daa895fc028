"""Compiled sums and maxima over the structures of a chart whose edges have weights."""
