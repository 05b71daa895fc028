"""Densities of the user's own: model, and charts at fixed values."""
