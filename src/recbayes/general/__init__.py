"""Densities of the user's own; nothing lives here yet."""
