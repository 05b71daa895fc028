"""Slow, readable oracles."""
