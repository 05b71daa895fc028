"""Exact charts of grammars."""
