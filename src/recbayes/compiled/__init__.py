"""Compiled algebra that knows no chart."""
